export default (_request: Request): Response => new Response("null");
