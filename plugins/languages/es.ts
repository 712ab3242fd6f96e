import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Vincular otra cuenta",
  "account.done": "Cambios guardados",
  "account.email": "Enlace por correo",
  "account.error.check":
    "Este intento caducó o ya se usó. No se cambió nada y tu sesión sigue abierta.",
  "account.error.denied":
    "Este sitio no acepta esa cuenta. No se cambió nada. Usa otra o ponte en contacto con el administrador del sitio.",
  "account.error.failed":
    "La operación se canceló o no se completó. No se cambió nada. Inténtalo de nuevo.",
  "account.error.link":
    "Este enlace caducó o ya se usó. Tienes la sesión abierta: no necesitas otro.",
  "account.error.passkey":
    "No se pudo verificar la llave de acceso. No se cambió nada. Inténtalo de nuevo.",
  "account.error.passkey-taken":
    "Esta llave de acceso ya está en uso, aquí o en otra cuenta. No se cambió nada. Para iniciar sesión con ella, cierra antes la sesión.",
  "account.error.required":
    "Ahora tienes abierta la sesión de otra cuenta. No se cambió nada. Comprueba qué cuenta quieres usar e inténtalo de nuevo.",
  "account.error.taken":
    "Esa cuenta o su correo electrónico ya pertenecen a otra persona. No se cambió nada. Prueba con otra cuenta.",
  "account.error.unreachable":
    "No se pudo contactar con ese servicio. No se cambió nada. Inténtalo más tarde.",
  "account.failed": "Se produjo un error y no se cambió nada. Inténtalo de nuevo.",
  "account.heading": "Tu cuenta",
  "account.home": "Volver a {host}",
  "account.last": "Es tu único método de inicio de sesión. Agrega otro antes de quitarlo.",
  "account.link": "Vincular {name}",
  "account.more": "Vincular otra cuenta ({count})",
  "account.only": "Tu único método de inicio de sesión",
  "account.session": "Sesión",
  "account.session.began": "Iniciada el {date}",
  "account.session.end": "Cerrar sesión",
  "account.session.end.what": "Cerrar sesión: la del {date}",
  "account.session.ends": "Caduca el {date} si no se usa",
  "account.session.here": "Este navegador",
  "account.sessions": "Sesiones activas",
  "account.sessions.end": "Cerrar las demás sesiones",
  "account.sessions.more": "Sesiones anteriores",
  "account.sessions.text": "Tus sesiones abiertas. Cierra las que no reconozcas.",
  "account.signout": "Cerrar sesión",
  "account.title": "Cuenta",
  "account.unlink": "Desvincular",
  "account.unlink.what": "Desvincular {name}",
  "account.methods": "Métodos de inicio de sesión",
  "account.methods.text": "Puedes iniciar sesión con cualquiera de ellos.",
  "app.allow": "Permitir",
  "app.deny": "Rechazar",
  "app.heading": "¿Iniciar sesión en {name}?",
  "app.text": "{name} quiere iniciar sesión como {user}.",
  "app.title": "Iniciar sesión en una aplicación",
  "app.warning": "Permítelo solo si acabas de iniciarlo tú en la aplicación.",
  "confirm.heading": "Confirmar inicio de sesión",
  "confirm.notice": "Si no solicitaste este enlace, cierra esta página.",
  "confirm.submit": "Iniciar sesión",
  "confirm.text": "Vas a iniciar sesión como {email}",
  "confirm.title": "Confirmar inicio de sesión",
  "credentials.code": "Código",
  "credentials.email": "Correo electrónico",
  "credentials.password": "Contraseña",
  "credentials.phone": "Número de teléfono",
  "credentials.pin": "Número PIN",
  "credentials.submit": "Iniciar sesión",
  "credentials.username": "Nombre de usuario",
  "device.allowed": "Has iniciado sesión en tu dispositivo. Puedes cerrar esta página.",
  "device.code": "Código",
  "device.denied": "Has rechazado el inicio de sesión. Puedes cerrar esta página.",
  "device.submit": "Continuar",
  "device.text": "Introduce el código que muestra tu dispositivo.",
  "device.title": "Iniciar sesión en un dispositivo",
  "device.warning":
    "Permítelo solo si un dispositivo que tienes delante muestra el código {code}. Si alguien te ha enviado el código, recházalo: podría usar tu cuenta.",
  "email.code": "Código",
  "email.code.text": "O ingresa aquí el código de ese correo:",
  "email.label": "Correo electrónico",
  "email.placeholder": "nombre@example.com",
  "email.submit": "Enviarme un enlace por correo",
  "email.submit.by": "Enviarme un enlace por correo ({name})",
  "error.ambiguous.again": "Empezar de nuevo",
  "error.ambiguous.heading": "Dos cuentas a la vez",
  "error.ambiguous.text":
    "Tu navegador envió las sesiones de dos cuentas, así que no se cambió nada. Borra las cookies de este sitio y vuelve a iniciar sesión.",
  "error.broken.again": "Intentarlo de nuevo",
  "error.broken.heading": "Error del servidor",
  "error.broken.text":
    "Se produjo un error por nuestra parte. Inténtalo de nuevo. Si sigue ocurriendo, ponte en contacto con el administrador del sitio.",
  "error.check.again": "Intentarlo de nuevo",
  "error.check.heading": "No se puede iniciar sesión",
  "error.check.text":
    "El intento de inicio de sesión caducó o ya se usó, o el navegador bloqueó las cookies. Permite las cookies de este sitio e inténtalo de nuevo.",
  "error.credentials.again": "Intentarlo de nuevo",
  "error.credentials.heading": "No se puede iniciar sesión",
  "error.credentials.text": "Los datos no son correctos. Compruébalos e inténtalo de nuevo.",
  "error.csrf.again": "Intentarlo de nuevo",
  "error.csrf.heading": "La página caducó",
  "error.csrf.text":
    "Estuvo abierta demasiado tiempo o el navegador bloquea las cookies. Permite las cookies de este sitio e inténtalo de nuevo.",
  "error.denied.again": "Usar otra cuenta",
  "error.denied.heading": "Acceso denegado",
  "error.denied.text":
    "Esta cuenta no puede iniciar sesión aquí. Usa otra o ponte en contacto con el administrador del sitio.",
  "error.failed.again": "Intentarlo de nuevo",
  "error.failed.heading": "No se puede iniciar sesión",
  "error.failed.text":
    "El inicio de sesión se canceló o no se completó. Inténtalo de nuevo o elige otro método.",
  "error.fresh.again": "Iniciar sesión",
  "error.fresh.heading": "Vuelve a iniciar sesión",
  "error.fresh.text":
    "Para proteger tu cuenta, vuelve a iniciar sesión antes de hacer este cambio. No se cambió nada.",
  "error.large.again": "Volver al inicio de sesión",
  "error.large.heading": "No se pudo iniciar sesión",
  "error.large.text":
    "Tu cuenta contiene más información de la que cabe en las cookies de tu navegador. Ponte en contacto con el administrador del sitio.",
  "error.link.again": "Solicitar un enlace nuevo",
  "error.link.heading": "Este enlace ya no sirve",
  "error.link.text":
    "Los enlaces de inicio de sesión sirven una sola vez y caducan. Solicita uno nuevo para iniciar sesión.",
  "error.passkey-taken.again": "Iniciar sesión",
  "error.passkey-taken.heading": "La cuenta ya existe",
  "error.passkey-taken.text":
    "Ya existe una cuenta con esta llave de acceso o este correo. Inicia sesión con el método que usaste antes.",
  "error.passkey.again": "Intentarlo de nuevo",
  "error.passkey.heading": "No se puede iniciar sesión",
  "error.passkey.text":
    "No se pudo verificar la llave de acceso. Inténtalo de nuevo o usa otro método.",
  "error.request.again": "Empezar de nuevo",
  "error.request.heading": "No se pudo procesar la solicitud",
  "error.request.text":
    "La solicitud estaba incompleta o no era válida. Empieza de nuevo desde la página de inicio de sesión.",
  "error.required.again": "Iniciar sesión",
  "error.required.heading": "Inicia sesión para continuar",
  "error.required.text":
    "No has iniciado sesión o tu sesión terminó. Inicia sesión para continuar.",
  "error.taken.again": "Iniciar sesión",
  "error.taken.heading": "La cuenta ya existe",
  "error.taken.text":
    "Este correo o método de inicio de sesión ya pertenece a una cuenta. Inicia sesión con el método que usaste antes.",
  "error.title": "Error",
  "error.unknown.again": "Intentarlo de nuevo",
  "error.unknown.heading": "Se produjo un error",
  "error.unknown.text": "No se pudo completar el inicio de sesión. Inténtalo de nuevo.",
  "error.unreachable.again": "Elegir otro método",
  "error.unreachable.heading": "Servicio no disponible",
  "error.unreachable.text":
    "No se pudo contactar con el servicio elegido. Inténtalo en un momento o elige otro método.",
  "error.unsent.again": "Intentarlo de nuevo",
  "error.unsent.heading": "No se envió el correo",
  "error.unsent.text": "No se pudo enviar el correo. Comprueba la dirección e inténtalo de nuevo.",
  "error.unverified.again": "Volver al inicio de sesión",
  "error.unverified.heading": "Verifica tu correo electrónico",
  "error.unverified.text":
    "Este servicio aún no verificó tu correo electrónico. Verifícalo allí y vuelve a iniciar sesión, o elige otro método de inicio de sesión.",
  "factor.any": "Código de la aplicación o de recuperación",
  "factor.back": "Volver",
  "factor.cancel": "Cancelar",
  "factor.code": "Código de la aplicación",
  "factor.codes.heading": "Códigos de recuperación",
  "factor.codes.text":
    "Si pierdes el teléfono, cada uno de estos códigos te permite iniciar sesión una vez. Guárdalos en un lugar seguro: no se volverán a mostrar.",
  "factor.heading": "Ingresa el código",
  "factor.off":
    "Protege tu cuenta con un código de una aplicación de tu teléfono cada vez que inicies sesión.",
  "factor.on": {
    one: "Activada. Te queda {count} código de recuperación.",
    other: "Activada. Te quedan {count} códigos de recuperación.",
  },
  "factor.recovery": "Usar un código de recuperación",
  "factor.recovery.code": "Código de recuperación",
  "factor.remove": "Desactivar",
  "factor.renew": "Crear códigos de recuperación nuevos",
  "factor.renew.text": "Tus códigos de recuperación actuales dejarán de funcionar.",
  "factor.setup": "Configurar",
  "factor.setup.heading": "Configurar la verificación en dos pasos",
  "factor.setup.image": "Código QR para la aplicación de autenticación",
  "factor.setup.key": "O ingresa esta clave en la aplicación:",
  "factor.setup.link": "Abrir la aplicación en este dispositivo",
  "factor.setup.required":
    "Para iniciar sesión aquí necesitas además un código de una aplicación de autenticación.",
  "factor.setup.submit": "Activar",
  "factor.setup.text":
    "Escanea esta imagen con una aplicación de autenticación en tu teléfono e ingresa el código que muestra.",
  "factor.submit": "Continuar",
  "factor.text": "Abre tu aplicación de autenticación e ingresa el código que muestra para {name}.",
  "factor.title": "Verificación en dos pasos",
  "failure.400": "No se pudo procesar la solicitud. Vuelve atrás e inténtalo de nuevo.",
  "failure.404": "Esta página no existe. Comprueba la dirección.",
  "failure.405":
    "Esta acción no está disponible aquí. Empieza de nuevo desde la página de inicio de sesión.",
  "failure.500": "Se produjo un error por nuestra parte. Inténtalo más tarde.",
  "failure.absent": "Página no encontrada",
  "failure.title": "Se produjo un error",
  "limited.title": "Demasiados intentos",
  "limited.wait": "Demasiados intentos. Inténtalo de nuevo en {duration}.",
  "link.home": "Ir a {host}",
  "link.signin": "Iniciar sesión",
  "mail.button": "Iniciar sesión",
  "mail.code":
    "O ingresa este código en la página donde lo solicitaste, y en ninguna otra. Validez: {duration}.",
  "mail.fallback": "Si el botón no funciona, pega este enlace en el navegador:",
  "mail.heading": "Iniciar sesión en {host}",
  "mail.invitation": "Abre este enlace para iniciar sesión:",
  "mail.notice":
    "Si no solicitaste este correo, puedes ignorarlo. No lo reenvíes: cualquiera que tenga el enlace puede iniciar sesión en tu nombre.",
  "mail.subject": "Iniciar sesión en {host}",
  "mail.validity": "Este enlace solo se puede usar una vez. Validez: {duration}.",
  "passkey.add": "Agregar una llave de acceso",
  "passkey.add.failed":
    "No se pudo agregar la llave de acceso. Puede que ya tengas una en este dispositivo o que se haya cancelado la solicitud. Inténtalo de nuevo.",
  "passkey.added": "Agregada el {date}",
  "passkey.autofill": "Correo electrónico",
  "passkey.email": "Correo de la cuenta nueva",
  "passkey.failed":
    "La solicitud de la llave de acceso falló o se canceló. Inténtalo de nuevo o elige otro método.",
  "passkey.heading": "Llaves de acceso",
  "passkey.instead": "Las llaves de acceso necesitan JavaScript y un navegador compatible.",
  "passkey.one": "Llave de acceso {number}",
  "passkey.register": "Crear cuenta con llave de acceso",
  "passkey.register.by": "Crear cuenta con {name}",
  "passkey.remove": "Quitar",
  "passkey.remove.what": "Quitar la llave de acceso {number}",
  "passkey.signin": "Usar una llave de acceso",
  "passkey.single": "En un solo dispositivo",
  "passkey.synced": "Sincronizada",
  "passkey.text":
    "Inicia sesión con tu huella, tu cara o el PIN del dispositivo en lugar de una contraseña.",
  "signin.closed": "El inicio de sesión aún no está disponible. Inténtalo más tarde.",
  "signin.error.ambiguous":
    "Tu navegador envió las sesiones de dos cuentas. Borra las cookies de este sitio y vuelve a iniciar sesión.",
  "signin.error.broken":
    "Este método no funciona en este momento. Prueba otro o inténtalo más tarde.",
  "signin.error.check":
    "El intento de inicio de sesión caducó o ya se usó, o el navegador bloqueó las cookies. Permite las cookies de este sitio e inténtalo de nuevo.",
  "signin.error.credentials":
    "No se pudo iniciar sesión. Comprueba los datos e inténtalo de nuevo.",
  "signin.error.csrf":
    "Esta página caducó o el navegador bloquea las cookies. Permite las cookies de este sitio e inténtalo de nuevo.",
  "signin.error.denied":
    "Esta cuenta no puede iniciar sesión aquí. Usa otra o ponte en contacto con el administrador del sitio.",
  "signin.error.device":
    "Ese código no es válido. Introduce el que muestra ahora tu dispositivo; cada código sirve una sola vez. Después de varios códigos incorrectos, espera 15 minutos.",
  "signin.error.email-code":
    "Ese código es incorrecto o caducó. Ingresa el del correo más reciente o solicita un enlace nuevo.",
  "signin.error.factor":
    "Ese código no es válido. Ingresa el que la aplicación muestra ahora; cada uno sirve una sola vez. Después de varios códigos incorrectos, espera 15 minutos.",
  "signin.error.failed":
    "El inicio de sesión se canceló o no se completó. Inténtalo de nuevo o elige otro método.",
  "signin.error.fresh":
    "Para proteger tu cuenta, vuelve a iniciar sesión antes de hacer este cambio. Todavía no se cambió nada; después volverás a donde estabas.",
  "signin.error.large":
    "Tu cuenta contiene más información de la que cabe en las cookies de tu navegador. Ponte en contacto con el administrador del sitio.",
  "signin.error.limited": "Demasiados intentos. Espera unos minutos y vuelve a intentarlo.",
  "signin.error.link": "Este enlace caducó o ya se usó. Solicita uno nuevo.",
  "signin.error.passkey":
    "No se pudo verificar la llave de acceso. Inténtalo de nuevo o usa otro método.",
  "signin.error.passkey-taken":
    "Ya existe una cuenta con esta llave de acceso o este correo. Inicia sesión con el método que usaste antes.",
  "signin.error.request": "La solicitud estaba incompleta o no era válida. Inténtalo de nuevo.",
  "signin.error.required":
    "No has iniciado sesión o tu sesión terminó. Inicia sesión para continuar.",
  "signin.error.taken":
    "Ya existe una cuenta con este correo. Inicia sesión con el método que usaste antes.",
  "signin.error.unknown": "Se produjo un error. Inténtalo de nuevo.",
  "signin.error.unreachable":
    "No se pudo contactar con ese servicio. Inténtalo de nuevo o elige otro método.",
  "signin.error.unsent":
    "No se pudo enviar el correo. Comprueba la dirección e inténtalo de nuevo.",
  "signin.error.unverified":
    "Este servicio aún no verificó tu correo electrónico. Verifícalo allí y vuelve a iniciar sesión, o elige otro método de inicio de sesión.",
  "signin.heading": "Iniciar sesión",
  "signin.more": "Mostrar {count} más",
  "signin.or": "o",
  "signin.title": "Iniciar sesión",
  "signin.with": "Iniciar sesión con {name}",
  "signout.heading": "¿Cerrar sesión?",
  "signout.stay": "Mantener la sesión iniciada",
  "signout.submit": "Cerrar sesión",
  "signout.text": "Puedes volver a iniciar sesión cuando quieras.",
  "signout.title": "Cerrar sesión",
  "verify.again": "Solicitar un enlace nuevo",
  "verify.heading": "Revisa tu correo",
  "verify.hint": "¿No te llegó? Revisa la carpeta de correo no deseado o solicita un enlace nuevo.",
  "verify.text":
    "Te enviamos un enlace para iniciar sesión. Ábrelo para continuar; puedes cerrar esta página.",
  "verify.title": "Revisa tu correo",
};

/** Adds the Spanish texts of the pages and e-mails. */
export const spanishPlugin: () => Plugin = definePlugin(function spanishPlugin(): Plugin {
  return {
    name: "languages/es",
    setup(kernel) {
      kernel.addLanguage({ tag: "es", messages: MESSAGES });
    },
  };
});
