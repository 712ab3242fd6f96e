import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Conectar outra conta",
  "account.done": "Alterações salvas",
  "account.email": "Link por e-mail",
  "account.error.check":
    "Esta tentativa expirou ou já foi usada. Nada foi alterado, e sua sessão continua aberta.",
  "account.error.denied":
    "Este site não aceita essa conta. Nada foi alterado. Use outra ou fale com o responsável pelo site.",
  "account.error.failed":
    "A operação foi cancelada ou não foi concluída. Nada foi alterado. Tente novamente.",
  "account.error.link":
    "Este link de acesso expirou ou já foi usado. Sua sessão está aberta: você não precisa de outro.",
  "account.error.passkey":
    "Não foi possível verificar a chave de acesso. Nada foi alterado. Tente novamente.",
  "account.error.passkey-taken":
    "Esta chave de acesso já está em uso, aqui ou em outra conta. Nada foi alterado. Para entrar com ela, saia primeiro.",
  "account.error.required":
    "A sessão aberta agora é de outra conta. Nada foi alterado. Verifique qual conta você quer usar e tente novamente.",
  "account.error.taken":
    "Essa conta ou o e\u2011mail dela já pertence a outra pessoa. Nada foi alterado. Tente com outra conta.",
  "account.error.unreachable":
    "Não foi possível acessar esse serviço. Nada foi alterado. Tente mais tarde.",
  "account.failed": "Ocorreu um erro e nada foi alterado. Tente novamente.",
  "account.heading": "Sua conta",
  "account.home": "Voltar para {host}",
  "account.last": "Este é seu único método de login. Adicione outro antes de removê\u2011lo.",
  "account.link": "Conectar {name}",
  "account.more": "Conectar outra conta ({count})",
  "account.only": "Seu único método de login",
  "account.session": "Sessão",
  "account.session.began": "Iniciada em {date}",
  "account.session.end": "Sair",
  "account.session.end.what": "Sair da sessão de {date}",
  "account.session.ends": "Expira em {date} se não for usada",
  "account.session.here": "Este navegador",
  "account.sessions": "Sessões ativas",
  "account.sessions.end": "Sair das outras sessões",
  "account.sessions.more": "Sessões anteriores",
  "account.sessions.text": "Onde sua conta está aberta. Saia das sessões que você não reconhece.",
  "account.signout": "Sair",
  "account.title": "Conta",
  "account.unlink": "Desconectar",
  "account.unlink.what": "Desconectar {name}",
  "account.methods": "Métodos de login",
  "account.methods.text": "Use qualquer um deles para entrar.",
  "app.allow": "Permitir",
  "app.deny": "Recusar",
  "app.heading": "Entrar em {name}?",
  "app.text": "{name} quer entrar como {user}.",
  "app.title": "Entrar em um aplicativo",
  "app.warning": "Permita somente se você mesmo acabou de iniciar isso no aplicativo.",
  "confirm.heading": "Confirmar login",
  "confirm.notice": "Se você não pediu este link, feche esta página.",
  "confirm.submit": "Entrar",
  "confirm.text": "Você vai entrar como {email}",
  "confirm.title": "Confirmar login",
  "credentials.code": "Código",
  "credentials.email": "E-mail",
  "credentials.password": "Senha",
  "credentials.phone": "Telefone",
  "credentials.pin": "Código PIN",
  "credentials.submit": "Entrar",
  "credentials.username": "Nome de usuário",
  "device.allowed": "Você entrou no seu dispositivo. Você pode fechar esta página.",
  "device.code": "Código",
  "device.denied": "Você recusou a entrada. Você pode fechar esta página.",
  "device.submit": "Continuar",
  "device.text": "Digite o código que seu dispositivo mostra.",
  "device.title": "Entrar em um dispositivo",
  "device.warning":
    "Permita somente se um dispositivo à sua frente mostra o código {code}. Se alguém enviou o código a você, recuse: essa pessoa poderia usar sua conta.",
  "email.code": "Código",
  "email.code.text": "Ou digite aqui o código desse e\u2011mail:",
  "email.label": "E-mail",
  "email.placeholder": "nome@example.com",
  "email.submit": "Enviar link de acesso por e-mail",
  "email.submit.by": "Enviar link de acesso por e-mail ({name})",
  "error.ambiguous.again": "Começar de novo",
  "error.ambiguous.heading": "Duas contas ao mesmo tempo",
  "error.ambiguous.text":
    "Seu navegador enviou as sessões de duas contas, por isso nada foi alterado. Exclua os cookies deste site e entre novamente.",
  "error.broken.again": "Tentar novamente",
  "error.broken.heading": "Erro no servidor",
  "error.broken.text":
    "Ocorreu um erro do nosso lado. Tente novamente. Se o problema continuar, fale com o responsável pelo site.",
  "error.check.again": "Tentar novamente",
  "error.check.heading": "Não foi possível entrar",
  "error.check.text":
    "A tentativa de login expirou ou já foi usada, ou seu navegador bloqueou os cookies. Permita os cookies deste site e tente novamente.",
  "error.credentials.again": "Tentar novamente",
  "error.credentials.heading": "Não foi possível entrar",
  "error.credentials.text":
    "Os dados informados não foram aceitos. Confira\u2011os e tente novamente.",
  "error.csrf.again": "Tentar novamente",
  "error.csrf.heading": "Esta página expirou",
  "error.csrf.text":
    "Ela ficou aberta por muito tempo, ou seu navegador está bloqueando os cookies. Permita os cookies deste site e tente novamente.",
  "error.denied.again": "Usar outra conta",
  "error.denied.heading": "Acesso negado",
  "error.denied.text":
    "Esta conta não tem permissão para entrar aqui. Use outra ou fale com o responsável pelo site.",
  "error.failed.again": "Tentar novamente",
  "error.failed.heading": "Não foi possível entrar",
  "error.failed.text":
    "O login foi cancelado ou não foi concluído. Tente novamente ou escolha outro método de login.",
  "error.fresh.again": "Entrar",
  "error.fresh.heading": "Entre novamente",
  "error.fresh.text":
    "Para proteger sua conta, entre novamente antes de fazer esta alteração. Nada foi alterado.",
  "error.large.again": "Voltar ao login",
  "error.large.heading": "Login não concluído",
  "error.large.text":
    "Sua conta tem mais informações do que os cookies do seu navegador podem guardar. Fale com o responsável pelo site.",
  "error.link.again": "Pedir um novo link",
  "error.link.heading": "Este link não funciona mais",
  "error.link.text":
    "Os links de acesso funcionam uma única vez e expiram depois de um tempo. Peça um novo para entrar.",
  "error.passkey-taken.again": "Entrar",
  "error.passkey-taken.heading": "A conta já existe",
  "error.passkey-taken.text":
    "Já existe uma conta com esta chave de acesso ou este e\u2011mail. Entre com o método que você usou antes.",
  "error.passkey.again": "Tentar novamente",
  "error.passkey.heading": "Não foi possível entrar",
  "error.passkey.text":
    "Não foi possível verificar sua chave de acesso. Tente novamente ou use outro método de login.",
  "error.request.again": "Começar de novo",
  "error.request.heading": "Não foi possível processar a solicitação",
  "error.request.text":
    "A solicitação estava incompleta ou era inválida. Comece de novo pela página de login.",
  "error.required.again": "Entrar",
  "error.required.heading": "Entre para continuar",
  "error.required.text":
    "Você não entrou na sua conta ou sua sessão terminou. Entre para continuar.",
  "error.taken.again": "Entrar",
  "error.taken.heading": "A conta já existe",
  "error.taken.text":
    "Este e\u2011mail ou método de login já pertence a uma conta. Entre com o método que você usou antes.",
  "error.title": "Erro",
  "error.unknown.again": "Tentar novamente",
  "error.unknown.heading": "Ocorreu um erro",
  "error.unknown.text": "Não foi possível concluir o login. Tente novamente.",
  "error.unreachable.again": "Escolher outro método",
  "error.unreachable.heading": "Serviço indisponível",
  "error.unreachable.text":
    "Não foi possível acessar o serviço escolhido. Tente novamente em instantes ou escolha outro método de login.",
  "error.unsent.again": "Tentar novamente",
  "error.unsent.heading": "E\u2011mail não enviado",
  "error.unsent.text":
    "Não foi possível enviar o e\u2011mail. Confira o endereço e tente novamente.",
  "error.unverified.again": "Voltar ao login",
  "error.unverified.heading": "Confirme seu e\u2011mail",
  "error.unverified.text":
    "Este serviço ainda não confirmou seu e\u2011mail. Confirme\u2011o no serviço e entre novamente, ou escolha outro método de login.",
  "factor.any": "Código do aplicativo ou código de recuperação",
  "factor.back": "Voltar",
  "factor.cancel": "Cancelar",
  "factor.code": "Código do aplicativo",
  "factor.codes.heading": "Códigos de recuperação",
  "factor.codes.text":
    "Se você perder o celular, poderá entrar uma vez com cada um destes códigos. Guarde\u2011os em um lugar seguro: eles não serão mostrados de novo.",
  "factor.heading": "Digite seu código",
  "factor.off":
    "Proteja sua conta com um código de um aplicativo do seu celular sempre que entrar.",
  "factor.on": {
    one: "Ativada. Você tem {count} código de recuperação não usado.",
    other: "Ativada. Você tem {count} códigos de recuperação não usados.",
  },
  "factor.recovery": "Usar um código de recuperação",
  "factor.recovery.code": "Código de recuperação",
  "factor.remove": "Desativar",
  "factor.renew": "Criar novos códigos de recuperação",
  "factor.renew.text": "Seus códigos de recuperação atuais deixarão de funcionar.",
  "factor.setup": "Configurar",
  "factor.setup.heading": "Configurar a verificação em duas etapas",
  "factor.setup.image": "Código QR para o aplicativo autenticador",
  "factor.setup.key": "Ou digite esta chave no aplicativo:",
  "factor.setup.link": "Abrir o aplicativo neste dispositivo",
  "factor.setup.required":
    "Para entrar aqui, você também precisa de um código de um aplicativo autenticador.",
  "factor.setup.submit": "Ativar",
  "factor.setup.text":
    "Escaneie esta imagem com um aplicativo autenticador no celular e digite o código que ele mostrar.",
  "factor.submit": "Continuar",
  "factor.text": "Abra seu aplicativo autenticador e digite o código que ele mostra para {name}.",
  "factor.title": "Verificação em duas etapas",
  "failure.400": "Não foi possível processar essa solicitação. Volte e tente novamente.",
  "failure.404": "Esta página não existe. Confira o endereço.",
  "failure.405": "Não é possível fazer isso aqui. Comece de novo pela página de login.",
  "failure.500": "Ocorreu um erro do nosso lado. Tente mais tarde.",
  "failure.absent": "Página não encontrada",
  "failure.title": "Ocorreu um erro",
  "limited.title": "Muitas tentativas",
  "limited.wait": "Muitas tentativas. Tente novamente em {duration}.",
  "link.home": "Ir para {host}",
  "link.signin": "Entrar",
  "mail.button": "Entrar",
  "mail.code":
    "Ou digite este código na página em que você o pediu, e em nenhuma outra. Ele expira em {duration}.",
  "mail.fallback": "Se o botão não funcionar, cole este link no navegador:",
  "mail.heading": "Entrar em {host}",
  "mail.invitation": "Abra este link para entrar:",
  "mail.notice":
    "Se você não pediu este e\u2011mail, pode ignorá\u2011lo. Não o encaminhe: qualquer pessoa com este link pode entrar como você.",
  "mail.subject": "Entrar em {host}",
  "mail.validity": "Este link expira em {duration} e só pode ser usado uma vez.",
  "passkey.add": "Adicionar uma chave de acesso",
  "passkey.add.failed":
    "Não foi possível adicionar a chave de acesso. Talvez você já tenha uma neste dispositivo, ou a solicitação tenha sido cancelada. Tente novamente.",
  "passkey.added": "Adicionada em {date}",
  "passkey.autofill": "E-mail",
  "passkey.email": "E-mail da sua nova conta",
  "passkey.failed":
    "A solicitação da chave de acesso falhou ou foi cancelada. Tente novamente ou use outro método de login.",
  "passkey.heading": "Chaves de acesso",
  "passkey.instead": "As chaves de acesso precisam de JavaScript e de um navegador compatível.",
  "passkey.one": "Chave de acesso {number}",
  "passkey.register": "Criar conta com chave de acesso",
  "passkey.register.by": "Criar conta com {name}",
  "passkey.remove": "Remover",
  "passkey.remove.what": "Remover a chave de acesso {number}",
  "passkey.signin": "Usar chave de acesso",
  "passkey.single": "Um só dispositivo",
  "passkey.synced": "Sincronizada",
  "passkey.text":
    "Entre com sua impressão digital, seu rosto ou o PIN do dispositivo em vez de uma senha.",
  "signin.closed": "O login ainda não está disponível. Tente mais tarde.",
  "signin.error.ambiguous":
    "Seu navegador enviou as sessões de duas contas. Exclua os cookies deste site e entre novamente.",
  "signin.error.broken":
    "Este método de login não está funcionando agora. Escolha outro ou tente mais tarde.",
  "signin.error.check":
    "A tentativa de login expirou ou já foi usada, ou seu navegador bloqueou os cookies. Permita os cookies deste site e tente novamente.",
  "signin.error.credentials": "Não foi possível entrar. Confira seus dados e tente novamente.",
  "signin.error.csrf":
    "Esta página expirou, ou seu navegador está bloqueando os cookies. Permita os cookies deste site e tente novamente.",
  "signin.error.denied":
    "Esta conta não tem permissão para entrar aqui. Use outra ou fale com o responsável pelo site.",
  "signin.error.device":
    "Esse código não é válido. Digite o que seu dispositivo mostra agora; cada código vale uma vez. Depois de vários códigos errados, aguarde 15 minutos.",
  "signin.error.email-code":
    "Esse código está errado ou expirou. Digite o do e\u2011mail mais recente ou peça um novo link.",
  "signin.error.factor":
    "Esse código não é válido. Digite o que o aplicativo mostra agora; cada código funciona uma vez. Depois de vários códigos errados, aguarde 15 minutos.",
  "signin.error.failed":
    "O login foi cancelado ou não foi concluído. Tente novamente ou escolha outro método de login.",
  "signin.error.fresh":
    "Para proteger sua conta, entre novamente antes de fazer esta alteração. Nada foi alterado ainda; depois, você voltará para onde estava.",
  "signin.error.large":
    "Sua conta tem mais informações do que os cookies do seu navegador podem guardar. Fale com o responsável pelo site.",
  "signin.error.limited": "Muitas tentativas. Aguarde alguns minutos e tente novamente.",
  "signin.error.link": "Este link de acesso expirou ou já foi usado. Peça um novo.",
  "signin.error.passkey":
    "Não foi possível verificar sua chave de acesso. Tente novamente ou use outro método de login.",
  "signin.error.passkey-taken":
    "Já existe uma conta com esta chave de acesso ou este e\u2011mail. Entre com o método que você usou antes.",
  "signin.error.request": "A solicitação estava incompleta ou era inválida. Tente novamente.",
  "signin.error.required":
    "Você não entrou na sua conta ou sua sessão terminou. Entre para continuar.",
  "signin.error.taken":
    "Já existe uma conta com este e\u2011mail. Entre com o método que você usou antes.",
  "signin.error.unknown": "Ocorreu um erro. Tente novamente.",
  "signin.error.unreachable":
    "Não foi possível acessar esse serviço. Tente novamente ou escolha outro método de login.",
  "signin.error.unsent":
    "Não foi possível enviar o e\u2011mail. Confira o endereço e tente novamente.",
  "signin.error.unverified":
    "Este serviço ainda não confirmou seu e\u2011mail. Confirme\u2011o no serviço e entre novamente, ou escolha outro método de login.",
  "signin.heading": "Entrar",
  "signin.more": "Mostrar mais {count}",
  "signin.or": "ou",
  "signin.title": "Entrar",
  "signin.with": "Entrar com {name}",
  "signout.heading": "Sair da conta?",
  "signout.stay": "Continuar na conta",
  "signout.submit": "Sair",
  "signout.text": "Você pode entrar novamente quando quiser.",
  "signout.title": "Sair",
  "verify.again": "Pedir um novo link",
  "verify.heading": "Confira seu e\u2011mail",
  "verify.hint": "Não recebeu? Confira a pasta de spam ou peça um novo link.",
  "verify.text":
    "Enviamos um link de acesso para você. Abra\u2011o para continuar; você pode fechar esta página.",
  "verify.title": "Confira seu e-mail",
};

/** Adds the Brazilian Portuguese texts of the pages and e-mails. */
export const brazilianPortuguesePlugin: () => Plugin = definePlugin(
  function brazilianPortuguesePlugin(): Plugin {
    return {
      name: "languages/pt-BR",
      setup(kernel) {
        kernel.addLanguage({ tag: "pt-BR", messages: MESSAGES });
      },
    };
  },
);
