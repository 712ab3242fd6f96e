// A process that handles one request: node first.ts <app>.
const { default: answer } = await import(`./apps/${process.argv[2]}.ts`);
for (const path of ["/auth/session", "/auth/get-session"]) {
  const response: Response = await answer(new Request(`http://localhost:3000${path}`));
  await response.text();
  if (response.status === 200) process.exit(0);
}
process.exit(1);
