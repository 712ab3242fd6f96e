import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Collega un altro account",
  "account.done": "Modifiche salvate",
  "account.email": "Link via email",
  "account.error.check":
    "Questo tentativo è scaduto o è già stato usato. Nulla è stato modificato e la tua sessione è ancora attiva.",
  "account.error.denied":
    "Questo sito non accetta quell’account. Nulla è stato modificato. Usane un altro o contatta il responsabile del sito.",
  "account.error.failed":
    "L’operazione è stata annullata o non è stata completata. Nulla è stato modificato. Riprova.",
  "account.error.link":
    "Questo link di accesso è scaduto o è già stato usato. Hai già effettuato l’accesso: non te ne serve uno nuovo.",
  "account.error.passkey": "Impossibile verificare la passkey. Nulla è stato modificato. Riprova.",
  "account.error.passkey-taken":
    "Questa passkey è già in uso, qui o in un altro account. Nulla è stato modificato. Per accedere con questa passkey, prima esci.",
  "account.error.required":
    "Ora è attiva la sessione di un altro account. Nulla è stato modificato. Controlla quale account vuoi usare e riprova.",
  "account.error.taken":
    "Quell’account o il suo indirizzo email appartiene già a un’altra persona. Nulla è stato modificato. Prova con un altro account.",
  "account.error.unreachable":
    "Impossibile raggiungere quel servizio. Nulla è stato modificato. Riprova più tardi.",
  "account.failed": "Si è verificato un errore e nulla è stato modificato. Riprova.",
  "account.heading": "Il tuo account",
  "account.home": "Torna a {host}",
  "account.last": "È il tuo unico metodo di accesso. Aggiungine un altro prima di rimuoverlo.",
  "account.link": "Collega {name}",
  "account.more": "Collega un altro account ({count})",
  "account.only": "Il tuo unico metodo di accesso",
  "account.session": "Sessione",
  "account.session.began": "Accesso: {date}",
  "account.session.end": "Esci",
  "account.session.end.what": "Esci dalla sessione: {date}",
  "account.session.ends": "Se inutilizzata, scade il {date}",
  "account.session.here": "Questo browser",
  "account.sessions": "Sessioni attive",
  "account.sessions.end": "Esci dalle altre sessioni",
  "account.sessions.more": "Sessioni precedenti",
  "account.sessions.text": "Le tue sessioni aperte. Esci da quelle che non riconosci.",
  "account.signout": "Esci",
  "account.title": "Account",
  "account.unlink": "Scollega",
  "account.unlink.what": "Scollega {name}",
  "account.methods": "Metodi di accesso",
  "account.methods.text": "Puoi accedere con uno qualsiasi di questi metodi.",
  "app.allow": "Consenti",
  "app.deny": "Rifiuta",
  "app.heading": "Accedere a {name}?",
  "app.text": "{name} vuole accedere come {user}.",
  "app.title": "Accedi a un’app",
  "app.warning": "Consenti solo se hai appena iniziato tu l’accesso nell’app.",
  "confirm.heading": "Conferma l’accesso",
  "confirm.notice": "Se non hai richiesto questo link, chiudi questa pagina.",
  "confirm.submit": "Accedi",
  "confirm.text": "Stai accedendo come {email}",
  "confirm.title": "Conferma l’accesso",
  "credentials.code": "Codice",
  "credentials.email": "Indirizzo email",
  "credentials.password": "Password",
  "credentials.phone": "Numero di telefono",
  "credentials.pin": "Codice PIN",
  "credentials.submit": "Accedi",
  "credentials.username": "Nome utente",
  "device.allowed": "Hai effettuato l’accesso sul tuo dispositivo. Puoi chiudere questa pagina.",
  "device.code": "Codice",
  "device.denied": "Hai rifiutato l’accesso. Puoi chiudere questa pagina.",
  "device.submit": "Continua",
  "device.text": "Inserisci il codice mostrato dal tuo dispositivo.",
  "device.title": "Accedi su un dispositivo",
  "device.warning":
    "Consenti solo se un dispositivo davanti a te mostra il codice {code}. Se qualcuno ti ha inviato il codice, rifiuta: potrebbe usare il tuo account.",
  "email.code": "Codice",
  "email.code.text": "Oppure inserisci qui il codice di quell’email:",
  "email.label": "Indirizzo email",
  "email.placeholder": "nome@example.com",
  "email.submit": "Ricevi un link via email",
  "email.submit.by": "Ricevi un link via email ({name})",
  "error.ambiguous.again": "Ricomincia",
  "error.ambiguous.heading": "Due account attivi",
  "error.ambiguous.text":
    "Il browser ha inviato le sessioni di due account, quindi nulla è stato modificato. Elimina i cookie di questo sito e accedi di nuovo.",
  "error.broken.again": "Riprova",
  "error.broken.heading": "Errore del server",
  "error.broken.text":
    "Si è verificato un errore da parte nostra. Riprova. Se il problema persiste, contatta il responsabile del sito.",
  "error.check.again": "Riprova",
  "error.check.heading": "Impossibile accedere",
  "error.check.text":
    "Il tentativo di accesso è scaduto o è già stato usato, oppure il browser ha bloccato i cookie. Consenti i cookie per questo sito e riprova.",
  "error.credentials.again": "Riprova",
  "error.credentials.heading": "Impossibile accedere",
  "error.credentials.text": "I dati inseriti non sono stati accettati. Controllali e riprova.",
  "error.csrf.again": "Riprova",
  "error.csrf.heading": "Pagina scaduta",
  "error.csrf.text":
    "È rimasta aperta troppo a lungo, oppure il browser blocca i cookie. Consenti i cookie per questo sito e riprova.",
  "error.denied.again": "Usa un altro account",
  "error.denied.heading": "Accesso negato",
  "error.denied.text":
    "Questo account non può accedere qui. Usane un altro o contatta il responsabile del sito.",
  "error.failed.again": "Riprova",
  "error.failed.heading": "Impossibile accedere",
  "error.failed.text":
    "L’accesso è stato annullato o non è stato completato. Riprova o scegli un altro metodo di accesso.",
  "error.fresh.again": "Accedi",
  "error.fresh.heading": "Accedi di nuovo",
  "error.fresh.text":
    "Per proteggere il tuo account, accedi di nuovo prima di questa modifica. Nulla è stato modificato.",
  "error.large.again": "Torna all’accesso",
  "error.large.heading": "Accesso non riuscito",
  "error.large.text":
    "Il tuo account contiene più informazioni di quante i cookie del browser possano memorizzare. Contatta il responsabile del sito.",
  "error.link.again": "Richiedi un nuovo link",
  "error.link.heading": "Questo link non è più valido",
  "error.link.text":
    "I link di accesso funzionano una sola volta e scadono dopo un po’. Richiedine uno nuovo per accedere.",
  "error.passkey-taken.again": "Accedi",
  "error.passkey-taken.heading": "L’account esiste già",
  "error.passkey-taken.text":
    "Esiste già un account con questa passkey o questo indirizzo email. Accedi con il metodo usato in precedenza.",
  "error.passkey.again": "Riprova",
  "error.passkey.heading": "Impossibile accedere",
  "error.passkey.text":
    "Impossibile verificare la tua passkey. Riprova o usa un altro metodo di accesso.",
  "error.request.again": "Ricomincia",
  "error.request.heading": "Impossibile elaborare la richiesta",
  "error.request.text":
    "La richiesta era incompleta o non valida. Ricomincia dalla pagina di accesso.",
  "error.required.again": "Accedi",
  "error.required.heading": "Accedi per continuare",
  "error.required.text":
    "Non hai effettuato l’accesso o la sessione è terminata. Accedi per continuare.",
  "error.taken.again": "Accedi",
  "error.taken.heading": "L’account esiste già",
  "error.taken.text":
    "Questo indirizzo email o metodo di accesso appartiene già a un account. Accedi con il metodo usato in precedenza.",
  "error.title": "Errore",
  "error.unknown.again": "Riprova",
  "error.unknown.heading": "Si è verificato un errore",
  "error.unknown.text": "Impossibile completare l’accesso. Riprova.",
  "error.unreachable.again": "Scegli un altro metodo",
  "error.unreachable.heading": "Servizio non disponibile",
  "error.unreachable.text":
    "Impossibile raggiungere il servizio scelto. Riprova tra poco o scegli un altro metodo di accesso.",
  "error.unsent.again": "Riprova",
  "error.unsent.heading": "Email non inviata",
  "error.unsent.text": "Impossibile inviare l’email. Controlla l’indirizzo e riprova.",
  "error.unverified.again": "Torna all’accesso",
  "error.unverified.heading": "Verifica il tuo indirizzo email",
  "error.unverified.text":
    "Questo servizio non ha ancora verificato il tuo indirizzo email. Verificalo nel servizio e accedi di nuovo, oppure scegli un altro metodo di accesso.",
  "factor.any": "Codice dell’app o codice di recupero",
  "factor.back": "Indietro",
  "factor.cancel": "Annulla",
  "factor.code": "Codice dell’app",
  "factor.codes.heading": "Codici di recupero",
  "factor.codes.text":
    "Se perdi il telefono, puoi accedere una volta con ciascuno di questi codici. Conservali in un luogo sicuro: non verranno mostrati di nuovo.",
  "factor.heading": "Inserisci il codice",
  "factor.off": "Proteggi il tuo account con un codice di un’app del telefono a ogni accesso.",
  "factor.on": {
    one: "Attiva. Hai {count} codice di recupero non usato.",
    other: "Attiva. Hai {count} codici di recupero non usati.",
  },
  "factor.recovery": "Usa un codice di recupero",
  "factor.recovery.code": "Codice di recupero",
  "factor.remove": "Disattiva",
  "factor.renew": "Crea nuovi codici di recupero",
  "factor.renew.text": "I tuoi codici di recupero attuali smetteranno di funzionare.",
  "factor.setup": "Configura",
  "factor.setup.heading": "Configura la verifica in due passaggi",
  "factor.setup.image": "Codice QR per l’app di autenticazione",
  "factor.setup.key": "Oppure inserisci questa chiave nell’app:",
  "factor.setup.link": "Apri l’app su questo dispositivo",
  "factor.setup.required": "Per accedere qui ti serve anche un codice di un’app di autenticazione.",
  "factor.setup.submit": "Attiva",
  "factor.setup.text":
    "Scansiona questa immagine con un’app di autenticazione sul telefono, poi inserisci il codice mostrato dall’app.",
  "factor.submit": "Continua",
  "factor.text": "Apri l’app di autenticazione e inserisci il codice che mostra per {name}.",
  "factor.title": "Verifica in due passaggi",
  "failure.400": "Impossibile elaborare la richiesta. Torna indietro e riprova.",
  "failure.404": "Questa pagina non esiste. Controlla l’indirizzo.",
  "failure.405": "Questa azione non è possibile qui. Ricomincia dalla pagina di accesso.",
  "failure.500": "Si è verificato un errore da parte nostra. Riprova più tardi.",
  "failure.absent": "Pagina non trovata",
  "failure.title": "Si è verificato un errore",
  "limited.title": "Troppi tentativi",
  "limited.wait": "Troppi tentativi. Riprova tra {duration}.",
  "link.home": "Vai a {host}",
  "link.signin": "Accedi",
  "mail.button": "Accedi",
  "mail.code":
    "Oppure inserisci questo codice nella pagina in cui l’hai richiesto, e in nessun’altra. Scade tra {duration}.",
  "mail.fallback": "Se il pulsante non funziona, incolla questo link nel browser:",
  "mail.heading": "Accedi a {host}",
  "mail.invitation": "Apri questo link per accedere:",
  "mail.notice":
    "Se non hai richiesto questa email, puoi ignorarla. Non inoltrarla: chiunque abbia questo link può accedere al posto tuo.",
  "mail.subject": "Accedi a {host}",
  "mail.validity": "Questo link scade tra {duration} e può essere usato una sola volta.",
  "passkey.add": "Aggiungi una passkey",
  "passkey.add.failed":
    "Impossibile aggiungere la passkey. Forse ne hai già una su questo dispositivo o la richiesta è stata annullata. Riprova.",
  "passkey.added": "Aggiunta: {date}",
  "passkey.autofill": "Indirizzo email",
  "passkey.email": "Indirizzo email del nuovo account",
  "passkey.failed":
    "La richiesta della passkey non è riuscita o è stata annullata. Riprova o usa un altro metodo di accesso.",
  "passkey.heading": "Passkey",
  "passkey.instead": "Le passkey richiedono JavaScript e un browser compatibile.",
  "passkey.one": "Passkey {number}",
  "passkey.register": "Registrati con una passkey",
  "passkey.register.by": "Registrati con {name}",
  "passkey.remove": "Rimuovi",
  "passkey.remove.what": "Rimuovi la passkey {number}",
  "passkey.signin": "Accedi con una passkey",
  "passkey.single": "Un solo dispositivo",
  "passkey.synced": "Sincronizzata",
  "passkey.text":
    "Accedi con l’impronta digitale, il volto o il PIN del dispositivo invece di una password.",
  "signin.closed": "L’accesso non è ancora disponibile. Riprova più tardi.",
  "signin.error.ambiguous":
    "Il browser ha inviato le sessioni di due account. Elimina i cookie di questo sito e accedi di nuovo.",
  "signin.error.broken":
    "Questo metodo di accesso al momento non funziona. Scegline un altro o riprova più tardi.",
  "signin.error.check":
    "Il tentativo di accesso è scaduto o è già stato usato, oppure il browser ha bloccato i cookie. Consenti i cookie per questo sito e riprova.",
  "signin.error.credentials": "Accesso non riuscito. Controlla i tuoi dati e riprova.",
  "signin.error.csrf":
    "Questa pagina è scaduta, oppure il browser blocca i cookie. Consenti i cookie per questo sito e riprova.",
  "signin.error.denied":
    "Questo account non può accedere qui. Usane un altro o contatta il responsabile del sito.",
  "signin.error.device":
    "Questo codice non è valido. Inserisci quello che il tuo dispositivo mostra ora; ogni codice vale una sola volta. Dopo più codici errati, attendi 15 minuti.",
  "signin.error.email-code":
    "Questo codice è errato o scaduto. Inserisci quello dell’email più recente o richiedi un nuovo link.",
  "signin.error.factor":
    "Questo codice non è valido. Inserisci quello che l’app mostra ora; ogni codice funziona una sola volta. Dopo vari codici errati, attendi 15 minuti.",
  "signin.error.failed":
    "L’accesso è stato annullato o non è stato completato. Riprova o scegli un altro metodo di accesso.",
  "signin.error.fresh":
    "Per proteggere il tuo account, accedi di nuovo prima di questa modifica. Nulla è ancora stato modificato; poi tornerai dove ti trovavi.",
  "signin.error.large":
    "Il tuo account contiene più informazioni di quante i cookie del browser possano memorizzare. Contatta il responsabile del sito.",
  "signin.error.limited": "Troppi tentativi. Attendi qualche minuto e riprova.",
  "signin.error.link":
    "Questo link di accesso è scaduto o è già stato usato. Richiedine uno nuovo.",
  "signin.error.passkey":
    "Impossibile verificare la tua passkey. Riprova o usa un altro metodo di accesso.",
  "signin.error.passkey-taken":
    "Esiste già un account con questa passkey o questo indirizzo email. Accedi con il metodo usato in precedenza.",
  "signin.error.request": "La richiesta era incompleta o non valida. Riprova.",
  "signin.error.required":
    "Non hai effettuato l’accesso o la sessione è terminata. Accedi per continuare.",
  "signin.error.taken":
    "Esiste già un account con questo indirizzo email. Accedi con il metodo usato in precedenza.",
  "signin.error.unknown": "Si è verificato un errore. Riprova.",
  "signin.error.unreachable":
    "Impossibile raggiungere quel servizio. Riprova o scegli un altro metodo di accesso.",
  "signin.error.unsent": "Impossibile inviare l’email. Controlla l’indirizzo e riprova.",
  "signin.error.unverified":
    "Questo servizio non ha ancora verificato il tuo indirizzo email. Verificalo nel servizio e accedi di nuovo, oppure scegli un altro metodo di accesso.",
  "signin.heading": "Accedi",
  "signin.more": "Mostra altri {count}",
  "signin.or": "oppure",
  "signin.title": "Accedi",
  "signin.with": "Accedi con {name}",
  "signout.heading": "Vuoi uscire?",
  "signout.stay": "Annulla",
  "signout.submit": "Esci",
  "signout.text": "Puoi accedere di nuovo in qualsiasi momento.",
  "signout.title": "Esci",
  "verify.again": "Richiedi un nuovo link",
  "verify.heading": "Controlla la tua email",
  "verify.hint": "Non l’hai ricevuta? Controlla la cartella dello spam o richiedi un nuovo link.",
  "verify.text":
    "Ti abbiamo inviato un link di accesso. Aprilo per continuare; puoi chiudere questa pagina.",
  "verify.title": "Controlla la tua email",
};

/** Adds the Italian texts of the pages and e-mails. */
export const italianPlugin: () => Plugin = definePlugin(function italianPlugin(): Plugin {
  return {
    name: "languages/it",
    setup(kernel) {
      kernel.addLanguage({ tag: "it", messages: MESSAGES });
    },
  };
});
