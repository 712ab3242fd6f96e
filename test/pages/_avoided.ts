/** Words that the texts of a language avoid, by language tag, because well-known products use another word. */
export const AVOIDED: Readonly<Record<string, readonly string[]>> = {
  en: ["log in", "e-mail", "please", "register"],
  ar: ["كلمة السر", "عنوانك", "الولوج", "يتغير"],
  de: ["Kennwort", "einloggen", "Email", "geklappt", "Nutzer"],
  es: ["ordenador", "se ha ", "login", "registro"],
  fr: ["courriel", "un mail", "moyen de connexion", "Veuillez"],
  it: ["parola chiave", "chiave di accesso", "login", "posta elettronica"],
  ja: ["ログイン", "端末", "お求め", "お越し"],
  ko: ["로그온", "암호", "회원가입"],
  pl: ["passkey", "zalogowany", "mejl"],
  "pt-BR": ["palavra-passe", "ficheiro", "telemóvel", "registo"],
  zh: ["登陆", "帐号", "您的地址", "密匙", "未做", "此网站"],
  "zh-Hant": ["登錄", "賬號", "郵箱", "默認"],
};
