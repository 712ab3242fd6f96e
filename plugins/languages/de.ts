import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.done": "Ihre Änderungen sind gespeichert.",
  "account.email": "Link per E-Mail",
  "account.failed":
    "Das hat nicht geklappt. Es wurde nichts geändert; bitte versuchen Sie es erneut.",
  "account.heading": "Ihr Konto",
  "account.home": "Zurück zu {host}",
  "account.last":
    "Das ist Ihre letzte Anmeldemöglichkeit. Fügen Sie eine andere hinzu, bevor Sie sie entfernen.",
  "account.link": "{name} verknüpfen",
  "account.more": "{count} weitere zum Verknüpfen",
  "account.session": "Sitzung",
  "account.session.began": "Angemeldet am {date}",
  "account.session.end": "Beenden",
  "account.session.end.what": "Beenden: Sitzung vom {date}",
  "account.session.ends": "Endet am {date}, falls sie vorher nicht genutzt wird",
  "account.session.here": "Dieses Gerät",
  "account.sessions": "Sitzungen",
  "account.sessions.more": "Ältere Sitzungen",
  "account.sessions.end": "Überall sonst abmelden",
  "account.sessions.text": "Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen.",
  "account.signout": "Abmelden",
  "account.title": "Konto",
  "account.unlink": "Entfernen",
  "account.unlink.what": "{name} entfernen",
  "account.ways": "Anmeldemöglichkeiten",
  "account.ways.text": "Mit jeder davon kommen Sie in dieses Konto.",
  "confirm.heading": "Anmelden",
  "confirm.notice": "Wenn Sie diesen Link nicht angefordert haben, schließen Sie diese Seite.",
  "confirm.submit": "Anmelden",
  "confirm.text": "Weiter als {email}.",
  "confirm.title": "Anmelden",
  "email.label": "E-Mail",
  "email.placeholder": "email@example.com",
  "email.submit": "Anmeldelink per E-Mail senden",
  "email.submit.by": "Anmeldelink per E-Mail senden ({name})",
  "error.ambiguous.again": "Von vorn beginnen",
  "error.ambiguous.heading": "Zwei Konten zugleich",
  "error.ambiguous.text":
    "Ihr Browser hat die Sitzungen zweier Konten gesendet. Deshalb wurde nichts geändert. Löschen Sie die Cookies dieser Website und melden Sie sich erneut an.",
  "error.broken.again": "Erneut versuchen",
  "error.broken.heading": "Serverfehler",
  "error.broken.text":
    "Die Anmeldung ist auf unserer Seite fehlgeschlagen; der Fehler wurde protokolliert. Bitte versuchen Sie es erneut. Wenn es wieder geschieht, sagen Sie den Betreibern der Website Bescheid.",
  "error.check.again": "Erneut versuchen",
  "error.check.heading": "Anmeldung nicht möglich",
  "error.check.text": "Die Anmeldung hat zu lange gedauert, oder ihre Cookies gingen verloren.",
  "error.credentials.again": "Erneut versuchen",
  "error.credentials.heading": "Anmeldung nicht möglich",
  "error.credentials.text": "Prüfen Sie Ihre Eingaben.",
  "error.csrf.again": "Erneut versuchen",
  "error.csrf.heading": "Bitte erneut versuchen",
  "error.csrf.text": "Die Seite war zu lange geöffnet, oder Ihr Browser blockiert ihre Cookies.",
  "error.denied.again": "Mit einem anderen Konto anmelden",
  "error.denied.heading": "Zugriff verweigert",
  "error.denied.text": "Sie dürfen sich hier nicht anmelden.",
  "error.failed.again": "Erneut versuchen",
  "error.failed.heading": "Anmeldung nicht möglich",
  "error.failed.text": "Die Anmeldung kam nicht zustande oder wurde abgebrochen.",
  "error.fresh.again": "Anmelden",
  "error.fresh.heading": "Bitte erneut anmelden",
  "error.fresh.text":
    "Melden Sie sich zum Schutz Ihres Kontos noch einmal an, bevor Sie das ändern. Es wurde nichts geändert.",
  "error.link.again": "Neuen Link anfordern",
  "error.link.heading": "Anmeldung nicht möglich",
  "error.link.text": "Der Anmeldelink gilt nicht mehr: Er wurde schon verwendet oder ist zu alt.",
  "error.passkey.again": "Erneut versuchen",
  "error.passkey.heading": "Anmeldung nicht möglich",
  "error.passkey.text": "Der Passkey konnte nicht bestätigt werden.",
  "error.request.again": "Von vorn beginnen",
  "error.large.heading": "Ihre Sitzung konnte nicht gespeichert werden",
  "error.large.text":
    "Ihr Konto enthält mehr Angaben, als in die Cookies Ihres Browsers passen. Das müssen die Betreiber dieser Website beheben.",
  "error.large.again": "Zur Anmeldung",
  "error.request.heading": "Das hat nicht geklappt",
  "error.request.text": "Mit der Anfrage stimmte etwas nicht.",
  "error.taken.again": "Anmelden",
  "error.taken.heading": "Das Konto gibt es schon",
  "error.taken.text":
    "Womit Sie sich angemeldet haben, gehört zu einem anderen Konto. Melden Sie sich so an wie zuvor.",
  "error.title": "Fehler",
  "error.unknown.again": "Erneut versuchen",
  "error.passkey-taken.heading": "Das Konto gibt es schon",
  "error.passkey-taken.text":
    "Womit Sie sich angemeldet haben, gehört zu einem anderen Konto. Melden Sie sich so an wie zuvor.",
  "error.passkey-taken.again": "Anmelden",
  "error.unverified.heading": "E-Mail-Adresse bestätigen",
  "error.unverified.text":
    "Dieser Dienst hat Ihre E-Mail-Adresse noch nicht bestätigt. Bestätigen Sie sie dort und melden Sie sich erneut an, oder wählen Sie eine andere Anmeldung.",
  "error.unverified.again": "Zur Anmeldung",
  "error.required.heading": "Anmelden",
  "error.required.text": "Bitte melden Sie sich an, um diese Seite zu sehen.",
  "error.required.again": "Anmelden",
  "error.unknown.heading": "Etwas ist schiefgegangen",
  "error.unknown.text": "Die Anmeldung konnte nicht abgeschlossen werden.",
  "error.unreachable.again": "Anders anmelden",
  "error.unreachable.heading": "Anmeldung nicht möglich",
  "error.unreachable.text": "Der gewählte Dienst ist zurzeit nicht erreichbar.",
  "error.unsent.again": "Erneut versuchen",
  "error.unsent.heading": "E-Mail nicht gesendet",
  "error.unsent.text":
    "Die E-Mail konnte nicht gesendet werden. Prüfen Sie die Adresse oder versuchen Sie es später erneut.",
  "factor.any": "Code aus der App oder Wiederherstellungscode",
  "factor.back": "Zurück",
  "factor.cancel": "Abbrechen",
  "factor.code": "Code aus der App",
  "factor.codes.heading": "Wiederherstellungscodes",
  "factor.codes.text":
    "Falls Sie Ihr Telefon verlieren, können Sie sich mit jedem dieser Codes einmal anmelden. Bewahren Sie sie sicher auf: Sie werden nicht noch einmal angezeigt.",
  "factor.heading": "Code eingeben",
  "factor.off":
    "Bei der Anmeldung geben Sie zusätzlich einen Code aus einer App auf Ihrem Telefon ein.",
  "factor.on": "Eingeschaltet. Unbenutzte Wiederherstellungscodes: {count}",
  "factor.recovery": "Wiederherstellungscode verwenden",
  "factor.recovery.code": "Wiederherstellungscode",
  "factor.remove": "Ausschalten",
  "factor.renew": "Neue Wiederherstellungscodes",
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
    "Die Anfrage war nicht zu verstehen. Gehen Sie zurück und versuchen Sie es erneut.",
  "failure.404": "Hier ist nichts. Vielleicht enthält die Adresse einen Tippfehler.",
  "failure.405": "So geht das hier nicht. Beginnen Sie noch einmal auf der Anmeldeseite.",
  "failure.500":
    "Auf diesem Server ist etwas schiefgegangen; sein Protokoll weiß mehr. Bitte versuchen Sie es später erneut.",
  "failure.absent": "Nicht gefunden",
  "failure.title": "Fehler",
  "limited.title": "Zu viele Versuche",
  "limited.wait": "Zu viele Versuche. Versuchen Sie es in {duration} erneut.",
  "link.home": "Zu {host}",
  "link.signin": "Anmelden",
  "mail.button": "Anmelden",
  "mail.fallback":
    "Wenn die Schaltfläche nicht funktioniert, kopieren Sie diese Adresse in Ihren Browser:",
  "mail.heading": "Anmeldung bei {host}",
  "mail.invitation": "Öffnen Sie diesen Link, um sich anzumelden:",
  "mail.notice":
    "Wenn Sie diese E-Mail nicht angefordert haben, können Sie sie ignorieren. Ohne den Link kann sich niemand anmelden; geben Sie ihn also nicht weiter.",
  "mail.subject": "Anmeldung bei {host}",
  "mail.validity": "Der Link gilt einmal, für {duration}.",
  "passkey.add": "Passkey hinzufügen",
  "passkey.add.failed":
    "Das hat nicht geklappt. Versuchen Sie es erneut; vielleicht hat dieses Gerät schon einen Passkey von Ihnen.",
  "passkey.added": "Hinzugefügt am {date}",
  "passkey.email": "E-Mail",
  "passkey.failed":
    "Das hat nicht geklappt. Versuchen Sie es erneut oder melden Sie sich anders an.",
  "passkey.heading": "Passkeys",
  "passkey.instead":
    "Passkeys brauchen einen Browser, der sie kennt, mit eingeschaltetem JavaScript.",
  "passkey.one": "Passkey {number}",
  "passkey.register": "Mit Passkey registrieren",
  "passkey.register.by": "Mit {name} registrieren",
  "passkey.remove": "Entfernen",
  "passkey.remove.what": "Passkey {number} entfernen",
  "passkey.signin": "Mit Passkey anmelden",
  "passkey.single": "Nur auf einem Gerät",
  "passkey.synced": "Auf mehreren Geräten",
  "passkey.text": "Fingerabdruck, Gesicht oder PIN statt eines Passworts.",
  "passkey.via.hybrid": "Telefon",
  "passkey.via.internal": "Eingebaut",
  "signin.closed": "Hier kann sich noch niemand anmelden. Bitte kommen Sie später wieder.",
  "signin.error.ambiguous":
    "Ihr Browser hat die Sitzungen zweier Konten gesendet. Löschen Sie die Cookies dieser Website und melden Sie sich erneut an.",
  "signin.error.broken":
    "Diese Anmeldung funktioniert zurzeit nicht. Versuchen Sie eine andere oder kommen Sie später wieder.",
  "signin.error.check":
    "Die Anmeldung hat zu lange gedauert, oder ihre Cookies gingen verloren. Bitte versuchen Sie es erneut.",
  "signin.error.credentials":
    "Die Anmeldung ist fehlgeschlagen. Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.",
  "signin.error.csrf":
    "Die Seite war zu lange geöffnet, oder Ihr Browser blockiert ihre Cookies. Bitte versuchen Sie es erneut.",
  "signin.error.denied":
    "Sie dürfen sich hier nicht anmelden. Verwenden Sie ein anderes Konto oder fragen Sie die Betreiber der Website.",
  "signin.error.factor":
    "Dieser Code gilt nicht. Geben Sie den ein, den die App gerade anzeigt; jeder gilt nur einmal. Nach mehreren falschen Codes warten Sie 15 Minuten.",
  "signin.error.failed":
    "Die Anmeldung kam nicht zustande. Versuchen Sie es erneut oder verwenden Sie ein anderes Konto.",
  "signin.error.fresh":
    "Melden Sie sich zum Schutz Ihres Kontos noch einmal an, bevor Sie das ändern. Bisher wurde nichts geändert; danach kommen Sie dorthin zurück, wo Sie waren.",
  "signin.error.limited":
    "Zu viele Versuche. Warten Sie ein paar Minuten und versuchen Sie es dann erneut.",
  "signin.error.link":
    "Der Anmeldelink gilt nicht mehr: Er wurde schon verwendet oder ist zu alt. Fordern Sie einen neuen an.",
  "signin.error.passkey":
    "Der Passkey konnte nicht bestätigt werden. Bitte versuchen Sie es erneut.",
  "signin.error.passkey-taken":
    "Dieser Passkey oder seine Adresse gehört schon zu einem Konto. Melden Sie sich so an wie zuvor.",
  "signin.error.request": "Mit der Anfrage stimmte etwas nicht. Bitte versuchen Sie es erneut.",
  "signin.error.taken":
    "Ihre Adresse gehört schon zu einem Konto. Melden Sie sich so an wie zuvor.",
  "signin.error.unknown": "Etwas ist schiefgegangen. Bitte versuchen Sie es erneut.",
  "signin.error.unreachable":
    "Der gewählte Dienst ist nicht erreichbar. Versuchen Sie es erneut oder wählen Sie einen anderen.",
  "signin.error.unsent":
    "Die E-Mail konnte nicht gesendet werden. Prüfen Sie die Adresse oder versuchen Sie es später erneut.",
  "signin.heading": "Anmelden",
  "signin.more": "{count} weitere Möglichkeiten",
  "signin.or": "oder",
  "signin.error.large":
    "Ihr Konto enthält mehr Angaben, als in die Cookies Ihres Browsers passen. Das müssen die Betreiber dieser Website beheben.",
  "signin.error.unverified":
    "Dieser Dienst hat Ihre E-Mail-Adresse noch nicht bestätigt. Bestätigen Sie sie dort und melden Sie sich erneut an, oder wählen Sie eine andere Anmeldung.",
  "signin.error.required": "Bitte melden Sie sich an, um diese Seite zu sehen.",
  "signin.title": "Anmelden",
  "signin.with": "Mit {name} anmelden",
  "signout.heading": "Abmelden?",
  "signout.stay": "Angemeldet bleiben",
  "signout.submit": "Abmelden",
  "signout.text": "Sie können sich jederzeit wieder anmelden.",
  "signout.title": "Abmelden",
  "verify.again": "Neuen Link anfordern",
  "verify.heading": "Sehen Sie in Ihr Postfach",
  "verify.hint":
    "Nach ein paar Minuten noch nichts da? Sehen Sie im Spam-Ordner nach oder fordern Sie den Link erneut an.",
  "verify.text": "Ein Anmeldelink ist unterwegs zu Ihnen. Sie können diese Seite schließen.",
  "verify.title": "Anfrage bestätigen",
};

/** Adds the German texts of the pages and e-mails. */
export function germanPlugin(): Plugin {
  return definePlugin(
    {
      name: "languages/de",
      setup(kernel) {
        kernel.addLanguage({ tag: "de", messages: MESSAGES });
      },
    },
    [germanPlugin],
  );
}
