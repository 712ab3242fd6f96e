import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Weiteres Konto verknüpfen",
  "account.done": "Änderungen gespeichert",
  "account.email": "Anmeldelink per E-Mail",
  "account.error.check":
    "Dieser Vorgang ist abgelaufen oder wurde bereits abgeschlossen. Es wurde nichts geändert, und Sie sind weiterhin angemeldet.",
  "account.error.denied":
    "Dieses Konto wird hier nicht akzeptiert. Es wurde nichts geändert. Verwenden Sie ein anderes oder wenden Sie sich an den Betreiber der Website.",
  "account.error.failed":
    "Der Vorgang wurde abgebrochen oder konnte nicht abgeschlossen werden. Es wurde nichts geändert. Versuchen Sie es erneut.",
  "account.error.link":
    "Dieser Anmeldelink ist abgelaufen oder wurde bereits verwendet. Sie sind angemeldet und brauchen keinen neuen.",
  "account.error.passkey":
    "Der Passkey konnte nicht überprüft werden. Es wurde nichts geändert. Versuchen Sie es erneut.",
  "account.error.passkey-taken":
    "Dieser Passkey wird bereits verwendet, hier oder in einem anderen Konto. Es wurde nichts geändert. Melden Sie sich zuerst ab, um sich mit ihm anzumelden.",
  "account.error.required":
    "Sie sind inzwischen mit einem anderen Konto angemeldet. Es wurde nichts geändert. Prüfen Sie, welches Konto Sie verwenden möchten, und versuchen Sie es erneut.",
  "account.error.taken":
    "Dieses Konto oder seine E\u2011Mail-Adresse gehört bereits zu einem anderen Benutzerkonto. Es wurde nichts geändert. Versuchen Sie es mit einem anderen Konto.",
  "account.error.unreachable":
    "Dieser Dienst ist nicht erreichbar. Es wurde nichts geändert. Versuchen Sie es später erneut.",
  "account.failed":
    "Es ist ein Fehler aufgetreten, und es wurde nichts geändert. Versuchen Sie es erneut.",
  "account.heading": "Ihr Konto",
  "account.home": "Zurück zu {host}",
  "account.last":
    "Das ist Ihre einzige Anmeldemethode. Fügen Sie eine weitere hinzu, bevor Sie sie entfernen.",
  "account.link": "{name} verknüpfen",
  "account.more": "Weiteres Konto verknüpfen ({count})",
  "account.only": "Ihre einzige Anmeldemethode",
  "account.session": "Sitzung",
  "account.session.began": "Angemeldet am {date}",
  "account.session.end": "Abmelden",
  "account.session.end.what": "Abmelden: Sitzung vom {date}",
  "account.session.ends": "Läuft bei Inaktivität am {date} ab",
  "account.session.here": "Dieser Browser",
  "account.sessions": "Aktive Sitzungen",
  "account.sessions.end": "Andere Sitzungen abmelden",
  "account.sessions.more": "Ältere Sitzungen",
  "account.sessions.text":
    "Hier sind Sie angemeldet. Melden Sie Sitzungen ab, die Sie nicht kennen.",
  "account.signout": "Abmelden",
  "account.title": "Konto",
  "account.unlink": "Trennen",
  "account.unlink.what": "{name} trennen",
  "account.methods": "Anmeldemethoden",
  "account.methods.text": "Sie können sich mit jeder dieser Methoden anmelden.",
  "app.allow": "Erlauben",
  "app.deny": "Ablehnen",
  "app.heading": "Bei {name} anmelden?",
  "app.text": "{name} möchte sich als {user} anmelden.",
  "app.title": "Bei einer App anmelden",
  "app.warning":
    "Erlauben Sie das nur, wenn Sie die Anmeldung gerade selbst in der App begonnen haben.",
  "confirm.heading": "Anmeldung bestätigen",
  "confirm.notice": "Wenn Sie diesen Link nicht angefordert haben, schließen Sie diese Seite.",
  "confirm.submit": "Anmelden",
  "confirm.text": "Sie melden sich an als {email}",
  "confirm.title": "Anmeldung bestätigen",
  "credentials.code": "Code",
  "credentials.email": "E-Mail-Adresse",
  "credentials.password": "Passwort",
  "credentials.phone": "Telefonnummer",
  "credentials.pin": "PIN",
  "credentials.submit": "Anmelden",
  "credentials.username": "Benutzername",
  "device.allowed": "Sie sind auf Ihrem Gerät angemeldet. Sie können diese Seite schließen.",
  "device.code": "Code",
  "device.denied": "Sie haben die Anmeldung abgelehnt. Sie können diese Seite schließen.",
  "device.submit": "Weiter",
  "device.text": "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
  "device.title": "Auf einem Gerät anmelden",
  "device.warning":
    "Erlauben Sie das nur, wenn ein Gerät vor Ihnen den Code {code} anzeigt. Hat Ihnen jemand den Code geschickt, lehnen Sie ab: Diese Person könnte Ihr Konto verwenden.",
  "email.code": "Code",
  "email.code.text": "Oder geben Sie hier den Code aus dieser E\u2011Mail ein:",
  "email.label": "E-Mail-Adresse",
  "email.placeholder": "name@example.com",
  "email.submit": "Anmeldelink per E-Mail senden",
  "email.submit.by": "Anmeldelink per E-Mail senden ({name})",
  "error.ambiguous.again": "Von vorn beginnen",
  "error.ambiguous.heading": "Zwei Konten zugleich",
  "error.ambiguous.text":
    "Ihr Browser hat die Sitzungen zweier Konten gesendet. Deshalb wurde nichts geändert. Löschen Sie die Cookies dieser Website und melden Sie sich erneut an.",
  "error.broken.again": "Erneut versuchen",
  "error.broken.heading": "Serverfehler",
  "error.broken.text":
    "Bei uns ist ein Fehler aufgetreten. Versuchen Sie es erneut. Bleibt das Problem bestehen, wenden Sie sich an den Betreiber der Website.",
  "error.check.again": "Erneut versuchen",
  "error.check.heading": "Anmeldung nicht möglich",
  "error.check.text":
    "Der Anmeldevorgang ist abgelaufen oder wurde bereits abgeschlossen, oder Ihr Browser hat Cookies blockiert. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.",
  "error.credentials.again": "Erneut versuchen",
  "error.credentials.heading": "Anmeldung nicht möglich",
  "error.credentials.text":
    "Ihre Angaben wurden nicht akzeptiert. Prüfen Sie sie und versuchen Sie es erneut.",
  "error.csrf.again": "Erneut versuchen",
  "error.csrf.heading": "Seite abgelaufen",
  "error.csrf.text":
    "Die Seite war zu lange geöffnet, oder Ihr Browser blockiert Cookies. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.",
  "error.denied.again": "Anderes Konto verwenden",
  "error.denied.heading": "Zugriff verweigert",
  "error.denied.text":
    "Mit diesem Konto können Sie sich hier nicht anmelden. Verwenden Sie ein anderes oder wenden Sie sich an den Betreiber der Website.",
  "error.failed.again": "Erneut versuchen",
  "error.failed.heading": "Anmeldung nicht möglich",
  "error.failed.text":
    "Die Anmeldung wurde abgebrochen oder konnte nicht abgeschlossen werden. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "error.fresh.again": "Anmelden",
  "error.fresh.heading": "Bitte erneut anmelden",
  "error.fresh.text":
    "Melden Sie sich zum Schutz Ihres Kontos noch einmal an, bevor Sie das ändern. Es wurde nichts geändert.",
  "error.large.again": "Zur Anmeldung",
  "error.large.heading": "Anmeldung nicht möglich",
  "error.large.text":
    "Ihr Konto enthält mehr Daten, als die Cookies Ihres Browsers speichern können. Wenden Sie sich an den Betreiber der Website.",
  "error.link.again": "Neuen Link anfordern",
  "error.link.heading": "Dieser Link gilt nicht mehr",
  "error.link.text":
    "Anmeldelinks gelten einmal und nur für begrenzte Zeit. Fordern Sie einen neuen an, um sich anzumelden.",
  "error.passkey-taken.again": "Anmelden",
  "error.passkey-taken.heading": "Konto bereits vorhanden",
  "error.passkey-taken.text":
    "Zu diesem Passkey oder dieser E\u2011Mail-Adresse gibt es schon ein Konto. Melden Sie sich mit der Methode an, die Sie zuvor verwendet haben.",
  "error.passkey.again": "Erneut versuchen",
  "error.passkey.heading": "Anmeldung nicht möglich",
  "error.passkey.text":
    "Der Passkey konnte nicht überprüft werden. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "error.request.again": "Von vorn beginnen",
  "error.request.heading": "Anfrage nicht verarbeitet",
  "error.request.text":
    "Die Anfrage war unvollständig oder ungültig. Beginnen Sie noch einmal auf der Anmeldeseite.",
  "error.required.again": "Anmelden",
  "error.required.heading": "Melden Sie sich an",
  "error.required.text":
    "Sie sind nicht angemeldet, oder Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.",
  "error.taken.again": "Anmelden",
  "error.taken.heading": "Konto bereits vorhanden",
  "error.taken.text":
    "Diese E\u2011Mail-Adresse oder Anmeldemethode gehört bereits zu einem Konto. Melden Sie sich mit der Methode an, die Sie zuvor verwendet haben.",
  "error.title": "Fehler",
  "error.unknown.again": "Erneut versuchen",
  "error.unknown.heading": "Es ist ein Fehler aufgetreten",
  "error.unknown.text": "Die Anmeldung konnte nicht abgeschlossen werden. Versuchen Sie es erneut.",
  "error.unreachable.again": "Andere Methode wählen",
  "error.unreachable.heading": "Dienst nicht erreichbar",
  "error.unreachable.text":
    "Der gewählte Dienst ist zurzeit nicht erreichbar. Versuchen Sie es gleich noch einmal oder wählen Sie eine andere Anmeldemethode.",
  "error.unsent.again": "Erneut versuchen",
  "error.unsent.heading": "E\u2011Mail nicht gesendet",
  "error.unsent.text":
    "Die E\u2011Mail konnte nicht gesendet werden. Prüfen Sie die Adresse und versuchen Sie es erneut.",
  "error.unverified.again": "Zur Anmeldung",
  "error.unverified.heading": "E\u2011Mail-Adresse bestätigen",
  "error.unverified.text":
    "Dieser Dienst hat Ihre E\u2011Mail-Adresse noch nicht bestätigt. Bestätigen Sie sie dort und melden Sie sich erneut an, oder wählen Sie eine andere Anmeldemethode.",
  "factor.any": "Code aus der App oder Wiederherstellungscode",
  "factor.back": "Zurück",
  "factor.cancel": "Abbrechen",
  "factor.code": "Code aus der App",
  "factor.codes.heading": "Wiederherstellungs\u00adcodes",
  "factor.codes.text":
    "Falls Sie Ihr Telefon verlieren, können Sie sich mit jedem dieser Codes einmal anmelden. Bewahren Sie sie sicher auf: Sie werden nicht noch einmal angezeigt.",
  "factor.heading": "Code eingeben",
  "factor.off":
    "Schützen Sie Ihr Konto bei jeder Anmeldung mit einem Code aus einer App auf Ihrem Telefon.",
  "factor.on": {
    one: "Eingeschaltet. Sie haben noch {count} unbenutzten Wiederherstellungscode.",
    other: "Eingeschaltet. Sie haben noch {count} unbenutzte Wiederherstellungscodes.",
  },
  "factor.recovery": "Wiederherstellungscode verwenden",
  "factor.recovery.code": "Wiederherstellungscode",
  "factor.remove": "Ausschalten",
  "factor.renew": "Neue Wiederherstellungscodes erstellen",
  "factor.renew.text": "Ihre bisherigen Wiederherstellungscodes gelten dann nicht mehr.",
  "factor.setup": "Einrichten",
  "factor.setup.heading": "Bestätigung in zwei Schritten einrichten",
  "factor.setup.image": "QR-Code für die Authenticator-App",
  "factor.setup.key": "Oder geben Sie diesen Schlüssel in der App ein:",
  "factor.setup.link": "App auf diesem Gerät öffnen",
  "factor.setup.required":
    "Für die Anmeldung brauchen Sie hier zusätzlich einen Code aus einer Authenticator-App.",
  "factor.setup.submit": "Einschalten",
  "factor.setup.text":
    "Scannen Sie dieses Bild mit einer Authenticator-App auf Ihrem Telefon und geben Sie den Code ein, den die App anzeigt.",
  "factor.submit": "Weiter",
  "factor.text":
    "Öffnen Sie Ihre Authenticator-App und geben Sie den Code ein, den sie für {name} anzeigt.",
  "factor.title": "Bestätigung in zwei Schritten",
  "failure.400":
    "Die Anfrage konnte nicht verarbeitet werden. Gehen Sie zurück und versuchen Sie es erneut.",
  "failure.404": "Diese Seite gibt es nicht. Prüfen Sie, ob die Adresse richtig geschrieben ist.",
  "failure.405":
    "Diese Aktion ist hier nicht möglich. Beginnen Sie noch einmal auf der Anmeldeseite.",
  "failure.500": "Bei uns ist ein Fehler aufgetreten. Versuchen Sie es später erneut.",
  "failure.absent": "Seite nicht gefunden",
  "failure.title": "Es ist ein Fehler aufgetreten",
  "limited.title": "Zu viele Versuche",
  "limited.wait": "Zu viele Versuche. Versuchen Sie es in {duration} erneut.",
  "link.home": "Weiter zu {host}",
  "link.signin": "Anmelden",
  "mail.button": "Anmelden",
  "mail.code":
    "Oder geben Sie diesen Code auf der Seite ein, auf der Sie ihn angefordert haben, und nirgendwo sonst. Gültigkeit: {duration}.",
  "mail.fallback":
    "Wenn die Schaltfläche nicht funktioniert, fügen Sie diesen Link in Ihren Browser ein:",
  "mail.heading": "Anmeldung bei {host}",
  "mail.invitation": "Öffnen Sie diesen Link, um sich anzumelden:",
  "mail.notice":
    "Wenn Sie diese E\u2011Mail nicht angefordert haben, können Sie sie ignorieren. Leiten Sie sie nicht weiter: Wer diesen Link hat, kann sich als Sie anmelden.",
  "mail.subject": "Anmeldung bei {host}",
  "mail.validity": "Dieser Link kann einmal verwendet werden. Gültigkeit: {duration}.",
  "passkey.add": "Passkey hinzufügen",
  "passkey.add.failed":
    "Der Passkey konnte nicht hinzugefügt werden. Vielleicht gibt es auf diesem Gerät schon einen, oder die Anfrage wurde abgebrochen. Versuchen Sie es erneut.",
  "passkey.added": "Hinzugefügt am {date}",
  "passkey.autofill": "E-Mail-Adresse",
  "passkey.email": "E-Mail-Adresse für Ihr neues Konto",
  "passkey.failed":
    "Die Passkey-Anfrage ist fehlgeschlagen oder wurde abgebrochen. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "passkey.heading": "Passkeys",
  "passkey.instead": "Für Passkeys sind JavaScript und ein Browser nötig, der sie unterstützt.",
  "passkey.one": "Passkey {number}",
  "passkey.register": "Mit Passkey registrieren",
  "passkey.register.by": "Mit {name} registrieren",
  "passkey.remove": "Entfernen",
  "passkey.remove.what": "Passkey {number} entfernen",
  "passkey.signin": "Mit Passkey anmelden",
  "passkey.single": "Nur ein Gerät",
  "passkey.synced": "Synchronisiert",
  "passkey.text":
    "Melden Sie sich mit Fingerabdruck, Gesicht oder Geräte-PIN statt mit einem Passwort an.",
  "signin.closed": "Die Anmeldung ist noch nicht verfügbar. Versuchen Sie es später erneut.",
  "signin.error.ambiguous":
    "Ihr Browser hat die Sitzungen zweier Konten gesendet. Löschen Sie die Cookies dieser Website und melden Sie sich erneut an.",
  "signin.error.broken":
    "Diese Anmeldemethode ist zurzeit nicht verfügbar. Wählen Sie eine andere oder versuchen Sie es später erneut.",
  "signin.error.check":
    "Der Anmeldevorgang ist abgelaufen oder wurde bereits abgeschlossen, oder Ihr Browser hat Cookies blockiert. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.",
  "signin.error.credentials":
    "Die Anmeldung ist fehlgeschlagen. Prüfen Sie Ihre Angaben und versuchen Sie es erneut.",
  "signin.error.csrf":
    "Die Seite ist abgelaufen, oder Ihr Browser blockiert Cookies. Erlauben Sie Cookies für diese Website und versuchen Sie es erneut.",
  "signin.error.denied":
    "Mit diesem Konto können Sie sich hier nicht anmelden. Verwenden Sie ein anderes oder wenden Sie sich an den Betreiber der Website.",
  "signin.error.device":
    "Dieser Code gilt nicht. Geben Sie den ein, den Ihr Gerät jetzt anzeigt; jeder Code gilt einmal. Warten Sie nach mehreren falschen Codes 15 Minuten.",
  "signin.error.email-code":
    "Dieser Code ist falsch oder abgelaufen. Geben Sie den aus der neuesten E\u2011Mail ein oder fordern Sie einen neuen Link an.",
  "signin.error.factor":
    "Dieser Code ist ungültig. Geben Sie den ein, den die App gerade anzeigt; jeder gilt nur einmal. Warten Sie nach mehreren falschen Codes 15 Minuten.",
  "signin.error.failed":
    "Die Anmeldung wurde abgebrochen oder konnte nicht abgeschlossen werden. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "signin.error.fresh":
    "Melden Sie sich zum Schutz Ihres Kontos noch einmal an, bevor Sie das ändern. Bisher wurde nichts geändert; danach kommen Sie dorthin zurück, wo Sie waren.",
  "signin.error.large":
    "Ihr Konto enthält mehr Daten, als die Cookies Ihres Browsers speichern können. Wenden Sie sich an den Betreiber der Website.",
  "signin.error.limited":
    "Zu viele Versuche. Warten Sie ein paar Minuten und versuchen Sie es dann erneut.",
  "signin.error.link":
    "Dieser Anmeldelink ist abgelaufen oder wurde bereits verwendet. Fordern Sie einen neuen an.",
  "signin.error.passkey":
    "Der Passkey konnte nicht überprüft werden. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "signin.error.passkey-taken":
    "Zu diesem Passkey oder dieser E\u2011Mail-Adresse gibt es schon ein Konto. Melden Sie sich mit der Methode an, die Sie zuvor verwendet haben.",
  "signin.error.request": "Die Anfrage war unvollständig oder ungültig. Versuchen Sie es erneut.",
  "signin.error.required":
    "Sie sind nicht angemeldet, oder Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren.",
  "signin.error.taken":
    "Zu dieser E\u2011Mail-Adresse gibt es schon ein Konto. Melden Sie sich mit der Methode an, die Sie zuvor verwendet haben.",
  "signin.error.unknown": "Es ist ein Fehler aufgetreten. Versuchen Sie es erneut.",
  "signin.error.unreachable":
    "Dieser Dienst ist nicht erreichbar. Versuchen Sie es erneut oder wählen Sie eine andere Anmeldemethode.",
  "signin.error.unsent":
    "Die E\u2011Mail konnte nicht gesendet werden. Prüfen Sie die Adresse und versuchen Sie es erneut.",
  "signin.error.unverified":
    "Dieser Dienst hat Ihre E\u2011Mail-Adresse noch nicht bestätigt. Bestätigen Sie sie dort und melden Sie sich erneut an, oder wählen Sie eine andere Anmeldemethode.",
  "signin.heading": "Anmelden",
  "signin.more": "{count} weitere anzeigen",
  "signin.or": "oder",
  "signin.title": "Anmelden",
  "signin.with": "Mit {name} anmelden",
  "signout.heading": "Abmelden?",
  "signout.stay": "Angemeldet bleiben",
  "signout.submit": "Abmelden",
  "signout.text": "Sie können sich jederzeit wieder anmelden.",
  "signout.title": "Abmelden",
  "verify.again": "Neuen Link anfordern",
  "verify.heading": "Prüfen Sie Ihr Postfach",
  "verify.hint":
    "Keine E\u2011Mail erhalten? Sehen Sie im Spam-Ordner nach oder fordern Sie einen neuen Link an.",
  "verify.text":
    "Wir haben Ihnen einen Anmeldelink gesendet. Öffnen Sie ihn, um fortzufahren; diese Seite können Sie schließen.",
  "verify.title": "Prüfen Sie Ihr Postfach",
};

/** Adds the German texts of the pages and e-mails. */
export const germanPlugin: () => Plugin = definePlugin(function germanPlugin(): Plugin {
  return {
    name: "languages/de",
    setup(kernel) {
      kernel.addLanguage({ tag: "de", messages: MESSAGES });
    },
  };
});
