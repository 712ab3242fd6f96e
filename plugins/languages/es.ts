import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.done": "Se han guardado los cambios.",
  "account.email": "Enlace por correo",
  "account.failed": "No ha funcionado. No se ha cambiado nada; inténtalo de nuevo.",
  "account.heading": "Tu cuenta",
  "account.home": "Volver a {host}",
  "account.last": "Es tu última forma de iniciar sesión. Añade otra antes de quitarla.",
  "account.link": "Vincular {name}",
  "account.more": "{count} más para vincular",
  "account.session": "Sesión",
  "account.session.began": "Iniciada el {date}",
  "account.session.end": "Cerrar",
  "account.session.end.what": "Cerrar la sesión del {date}",
  "account.session.ends": "Termina el {date}, salvo que se use antes",
  "account.session.here": "Este dispositivo",
  "account.sessions": "Sesiones",
  "account.sessions.more": "Sesiones anteriores",
  "account.sessions.end": "Cerrar las demás sesiones",
  "account.sessions.text": "Dónde has iniciado sesión. Cierra las que no reconozcas.",
  "account.signout": "Cerrar sesión",
  "account.title": "Cuenta",
  "account.unlink": "Quitar",
  "account.unlink.what": "Quitar {name}",
  "account.ways": "Formas de iniciar sesión",
  "account.ways.text": "Con cualquiera de ellas entras en esta cuenta.",
  "confirm.heading": "Iniciar sesión",
  "confirm.notice": "Si no has pedido este enlace, cierra esta página.",
  "confirm.submit": "Iniciar sesión",
  "confirm.text": "Continuar como {email}.",
  "confirm.title": "Iniciar sesión",
  "email.label": "Correo electrónico",
  "email.placeholder": "email@example.com",
  "email.submit": "Enviarme un enlace por correo",
  "email.submit.by": "Enviarme un enlace por correo ({name})",
  "error.ambiguous.again": "Empezar de nuevo",
  "error.ambiguous.heading": "Dos cuentas a la vez",
  "error.ambiguous.text":
    "Tu navegador ha enviado las sesiones de dos cuentas, así que no se ha cambiado nada. Borra las cookies de este sitio y vuelve a iniciar sesión.",
  "error.broken.again": "Intentarlo de nuevo",
  "error.broken.heading": "Error del servidor",
  "error.broken.text":
    "El inicio de sesión ha fallado por nuestra parte y ha quedado registrado. Inténtalo de nuevo. Si sigue ocurriendo, avisa a los responsables del sitio.",
  "error.check.again": "Intentarlo de nuevo",
  "error.check.heading": "No se puede iniciar sesión",
  "error.check.text": "El inicio de sesión ha tardado demasiado o se han perdido sus cookies.",
  "error.credentials.again": "Intentarlo de nuevo",
  "error.credentials.heading": "No se puede iniciar sesión",
  "error.credentials.text": "Comprueba los datos que has introducido.",
  "error.csrf.again": "Intentarlo de nuevo",
  "error.csrf.heading": "Inténtalo de nuevo",
  "error.csrf.text":
    "La página ha estado abierta demasiado tiempo o el navegador bloquea sus cookies.",
  "error.denied.again": "Iniciar sesión con otra cuenta",
  "error.denied.heading": "Acceso denegado",
  "error.denied.text": "No tienes permiso para iniciar sesión.",
  "error.failed.again": "Intentarlo de nuevo",
  "error.failed.heading": "No se puede iniciar sesión",
  "error.failed.text": "El inicio de sesión no se ha completado o se ha cancelado.",
  "error.fresh.again": "Iniciar sesión",
  "error.fresh.heading": "Vuelve a iniciar sesión",
  "error.fresh.text":
    "Para proteger tu cuenta, vuelve a iniciar sesión antes de hacer este cambio. No se ha cambiado nada.",
  "error.link.again": "Pedir un enlace nuevo",
  "error.link.heading": "No se puede iniciar sesión",
  "error.link.text":
    "El enlace de inicio de sesión ya no es válido: se ha usado antes o es demasiado antiguo.",
  "error.passkey.again": "Intentarlo de nuevo",
  "error.passkey.heading": "No se puede iniciar sesión",
  "error.passkey.text": "No se ha podido verificar la llave de acceso.",
  "error.request.again": "Empezar de nuevo",
  "error.large.heading": "No se pudo guardar tu sesión",
  "error.large.text":
    "Tu cuenta contiene más información de la que cabe en las cookies de tu navegador. Los responsables de este sitio deben corregirlo.",
  "error.large.again": "Volver al inicio de sesión",
  "error.request.heading": "No ha funcionado",
  "error.request.text": "Había algún error en la solicitud.",
  "error.taken.again": "Iniciar sesión",
  "error.taken.heading": "La cuenta ya existe",
  "error.taken.text":
    "Lo que has usado para iniciar sesión pertenece a otra cuenta. Inicia sesión como lo hiciste antes.",
  "error.title": "Error",
  "error.unknown.again": "Intentarlo de nuevo",
  "error.passkey-taken.heading": "La cuenta ya existe",
  "error.passkey-taken.text":
    "Lo que has usado para iniciar sesión pertenece a otra cuenta. Inicia sesión como lo hiciste antes.",
  "error.passkey-taken.again": "Iniciar sesión",
  "error.unverified.heading": "Verifica tu correo electrónico",
  "error.unverified.text":
    "Este servicio aún no ha verificado tu correo electrónico. Verifícalo allí y vuelve a iniciar sesión, o elige otra forma de hacerlo.",
  "error.unverified.again": "Volver al inicio de sesión",
  "error.required.heading": "Iniciar sesión",
  "error.required.text": "Inicia sesión para ver esta página.",
  "error.required.again": "Iniciar sesión",
  "error.unknown.heading": "Algo ha ido mal",
  "error.unknown.text": "No se ha podido completar el inicio de sesión.",
  "error.unreachable.again": "Elegir otra forma",
  "error.unreachable.heading": "No se puede iniciar sesión",
  "error.unreachable.text": "No se puede contactar con el servicio elegido en este momento.",
  "error.unsent.again": "Intentarlo de nuevo",
  "error.unsent.heading": "Correo no enviado",
  "error.unsent.text":
    "No se ha podido enviar el correo. Comprueba la dirección o inténtalo más tarde.",
  "factor.any": "Código de la aplicación o de recuperación",
  "factor.back": "Volver",
  "factor.cancel": "Cancelar",
  "factor.code": "Código de la aplicación",
  "factor.codes.heading": "Códigos de recuperación",
  "factor.codes.text":
    "Si pierdes el teléfono, cada uno de estos códigos te permite entrar una vez. Guárdalos en un lugar seguro: no se volverán a mostrar.",
  "factor.heading": "Introduce el código",
  "factor.off": "Al iniciar sesión, introduces además un código de una aplicación de tu teléfono.",
  "factor.on": "Está activada. Códigos de recuperación sin usar: {count}",
  "factor.recovery": "Usar un código de recuperación",
  "factor.recovery.code": "Código de recuperación",
  "factor.remove": "Desactivar",
  "factor.renew": "Nuevos códigos de recuperación",
  "factor.renew.text": "Los códigos de recuperación que tienes ahora dejarán de funcionar.",
  "factor.setup": "Configurar",
  "factor.setup.heading": "Configurar la verificación en dos pasos",
  "factor.setup.image": "Código QR para la aplicación de autenticación",
  "factor.setup.key": "O introduce esta clave en la aplicación:",
  "factor.setup.link": "Abrir la aplicación en este dispositivo",
  "factor.setup.required":
    "Para iniciar sesión aquí necesitas además un código de una aplicación de autenticación.",
  "factor.setup.submit": "Activar",
  "factor.setup.text":
    "Escanea esta imagen con una aplicación de autenticación en tu teléfono e introduce el código que muestra.",
  "factor.submit": "Continuar",
  "factor.text":
    "Abre tu aplicación de autenticación e introduce el código que muestra para {name}.",
  "factor.title": "Verificación en dos pasos",
  "failure.400": "No se ha podido entender la solicitud. Vuelve atrás e inténtalo de nuevo.",
  "failure.404": "Aquí no hay nada. Quizá la dirección tenga una errata.",
  "failure.405":
    "Aquí no se puede hacer así. Empieza de nuevo desde la página de inicio de sesión.",
  "failure.500": "Algo ha fallado en este servidor; su registro dice más. Inténtalo más tarde.",
  "failure.absent": "No encontrado",
  "failure.title": "Error",
  "limited.title": "Demasiados intentos",
  "limited.wait": "Demasiados intentos. Vuelve a intentarlo dentro de {duration}.",
  "link.home": "Ir a {host}",
  "link.signin": "Iniciar sesión",
  "mail.button": "Iniciar sesión",
  "mail.fallback": "Si el botón no funciona, copia esta dirección en el navegador:",
  "mail.heading": "Iniciar sesión en {host}",
  "mail.invitation": "Abre este enlace para iniciar sesión:",
  "mail.notice":
    "Si no has pedido este correo, puedes ignorarlo. Nadie puede iniciar sesión sin el enlace, así que no lo compartas.",
  "mail.subject": "Iniciar sesión en {host}",
  "mail.validity": "El enlace funciona una sola vez, durante {duration}.",
  "passkey.add": "Añadir una llave de acceso",
  "passkey.add.failed":
    "No ha funcionado. Inténtalo de nuevo; puede que este dispositivo ya tenga una llave de acceso tuya.",
  "passkey.added": "Añadida el {date}",
  "passkey.email": "Correo electrónico",
  "passkey.failed": "No ha funcionado. Inténtalo de nuevo o inicia sesión de otra forma.",
  "passkey.heading": "Llaves de acceso",
  "passkey.instead":
    "Las llaves de acceso necesitan un navegador que las admita, con JavaScript activado.",
  "passkey.one": "Llave de acceso {number}",
  "passkey.register": "Registrarse con una llave de acceso",
  "passkey.register.by": "Registrarse con {name}",
  "passkey.remove": "Quitar",
  "passkey.remove.what": "Quitar la llave de acceso {number}",
  "passkey.signin": "Iniciar sesión con una llave de acceso",
  "passkey.single": "En un solo dispositivo",
  "passkey.synced": "Guardada en varios dispositivos",
  "passkey.text": "Una huella, la cara o un PIN en lugar de una contraseña.",
  "passkey.via.hybrid": "Teléfono",
  "passkey.via.internal": "Integrada",
  "signin.closed": "Todavía nadie puede iniciar sesión aquí. Vuelve más tarde.",
  "signin.error.ambiguous":
    "Tu navegador ha enviado las sesiones de dos cuentas. Borra las cookies de este sitio y vuelve a iniciar sesión.",
  "signin.error.broken":
    "Esta forma de iniciar sesión no funciona en este momento. Prueba otra o vuelve más tarde.",
  "signin.error.check":
    "El inicio de sesión ha tardado demasiado o se han perdido sus cookies. Inténtalo de nuevo.",
  "signin.error.credentials":
    "No se ha podido iniciar sesión. Comprueba los datos e inténtalo de nuevo.",
  "signin.error.csrf":
    "Esta página ha estado abierta demasiado tiempo o el navegador bloquea sus cookies. Inténtalo de nuevo.",
  "signin.error.denied":
    "No tienes permiso para iniciar sesión. Usa otra cuenta o pregunta a los responsables del sitio.",
  "signin.error.factor":
    "Ese código no es válido. Introduce el que la aplicación muestra ahora; cada uno sirve una sola vez. Después de varios códigos incorrectos, espera 15 minutos.",
  "signin.error.failed":
    "El inicio de sesión no se ha completado. Inténtalo de nuevo o usa otra cuenta.",
  "signin.error.fresh":
    "Para proteger tu cuenta, vuelve a iniciar sesión antes de hacer este cambio. Todavía no se ha cambiado nada; después volverás a donde estabas.",
  "signin.error.limited": "Demasiados intentos. Espera unos minutos y vuelve a intentarlo.",
  "signin.error.link":
    "El enlace de inicio de sesión ya no es válido: se ha usado antes o es demasiado antiguo. Pide uno nuevo.",
  "signin.error.passkey": "No se ha podido verificar la llave de acceso. Inténtalo de nuevo.",
  "signin.error.passkey-taken":
    "Esta llave de acceso o su dirección ya pertenece a una cuenta. Inicia sesión como lo hiciste antes.",
  "signin.error.request": "Había algún error en la solicitud. Inténtalo de nuevo.",
  "signin.error.taken":
    "Tu dirección ya pertenece a una cuenta. Inicia sesión como lo hiciste antes.",
  "signin.error.unknown": "Algo ha ido mal. Inténtalo de nuevo.",
  "signin.error.unreachable":
    "No se puede contactar con el servicio elegido. Inténtalo de nuevo o elige otro.",
  "signin.error.unsent":
    "No se ha podido enviar el correo. Comprueba la dirección o inténtalo más tarde.",
  "signin.heading": "Iniciar sesión",
  "signin.more": "{count} formas más de iniciar sesión",
  "signin.or": "o",
  "signin.error.large":
    "Tu cuenta contiene más información de la que cabe en las cookies de tu navegador. Los responsables de este sitio deben corregirlo.",
  "signin.error.unverified":
    "Este servicio aún no ha verificado tu correo electrónico. Verifícalo allí y vuelve a iniciar sesión, o elige otra forma de hacerlo.",
  "signin.error.required": "Inicia sesión para ver esta página.",
  "signin.title": "Iniciar sesión",
  "signin.with": "Iniciar sesión con {name}",
  "signout.heading": "¿Cerrar sesión?",
  "signout.stay": "Mantener la sesión",
  "signout.submit": "Cerrar sesión",
  "signout.text": "Puedes volver a iniciar sesión cuando quieras.",
  "signout.title": "Cerrar sesión",
  "verify.again": "Pedir otro enlace",
  "verify.heading": "Revisa tu correo",
  "verify.hint":
    "¿Nada al cabo de unos minutos? Mira en la carpeta de correo no deseado o pídelo otra vez.",
  "verify.text": "Un enlace para iniciar sesión va de camino. Puedes cerrar esta página.",
  "verify.title": "Verificar la solicitud",
};

/** Adds the Spanish texts of the pages and e-mails. */
export function spanishPlugin(): Plugin {
  return definePlugin(
    {
      name: "languages/es",
      setup(kernel) {
        kernel.addLanguage({ tag: "es", messages: MESSAGES });
      },
    },
    [spanishPlugin],
  );
}
