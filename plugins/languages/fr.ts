import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.done": "Vos modifications sont enregistrées.",
  "account.email": "Lien par e-mail",
  "account.failed": "Cela n’a pas fonctionné. Rien n’a été modifié ; veuillez réessayer.",
  "account.heading": "Votre compte",
  "account.home": "Retour à {host}",
  "account.last":
    "C’est votre dernier moyen de connexion. Ajoutez-en un autre avant de le retirer.",
  "account.link": "Associer {name}",
  "account.more": "{count} autres à associer",
  "account.session": "Session",
  "account.session.began": "Connexion le {date}",
  "account.session.end": "Terminer",
  "account.session.end.what": "Terminer la session du {date}",
  "account.session.ends": "Prend fin le {date}, sauf si elle sert avant",
  "account.session.here": "Cet appareil",
  "account.sessions": "Sessions",
  "account.sessions.more": "Sessions plus anciennes",
  "account.sessions.end": "Se déconnecter partout ailleurs",
  "account.sessions.text":
    "Là où vous êtes connecté. Mettez fin à ce que vous ne reconnaissez pas.",
  "account.signout": "Se déconnecter",
  "account.title": "Compte",
  "account.unlink": "Retirer",
  "account.unlink.what": "Retirer {name}",
  "account.ways": "Modes de connexion",
  "account.ways.text": "Chacun d’eux vous donne accès à ce compte.",
  "confirm.heading": "Connexion",
  "confirm.notice": "Si vous n’avez pas demandé ce lien, fermez cette page.",
  "confirm.submit": "Se connecter",
  "confirm.text": "Continuer en tant que {email}.",
  "confirm.title": "Connexion",
  "email.label": "E-mail",
  "email.placeholder": "email@example.com",
  "email.submit": "M’envoyer un lien de connexion",
  "email.submit.by": "M’envoyer un lien de connexion ({name})",
  "error.ambiguous.again": "Recommencer",
  "error.ambiguous.heading": "Deux comptes à la fois",
  "error.ambiguous.text":
    "Votre navigateur a envoyé les sessions de deux comptes : rien n’a été modifié. Supprimez les cookies de ce site, puis reconnectez-vous.",
  "error.broken.again": "Réessayer",
  "error.broken.heading": "Erreur du serveur",
  "error.broken.text":
    "La connexion a échoué de notre côté, et l’erreur a été enregistrée. Veuillez réessayer. Si cela se reproduit, prévenez les responsables du site.",
  "error.check.again": "Réessayer",
  "error.check.heading": "Connexion impossible",
  "error.check.text": "La connexion a pris trop de temps, ou ses cookies ont été perdus.",
  "error.credentials.again": "Réessayer",
  "error.credentials.heading": "Connexion impossible",
  "error.credentials.text": "Vérifiez votre saisie.",
  "error.csrf.again": "Réessayer",
  "error.csrf.heading": "Veuillez réessayer",
  "error.csrf.text":
    "La page est restée ouverte trop longtemps, ou votre navigateur bloque ses cookies.",
  "error.denied.again": "Se connecter avec un autre compte",
  "error.denied.heading": "Accès refusé",
  "error.denied.text": "Vous n’êtes pas autorisé à vous connecter.",
  "error.failed.again": "Réessayer",
  "error.failed.heading": "Connexion impossible",
  "error.failed.text": "La connexion n’a pas abouti ou a été annulée.",
  "error.fresh.again": "Se connecter",
  "error.fresh.heading": "Reconnectez-vous",
  "error.fresh.text":
    "Pour protéger votre compte, reconnectez-vous avant de faire cette modification. Rien n’a été modifié.",
  "error.link.again": "Demander un nouveau lien",
  "error.link.heading": "Connexion impossible",
  "error.link.text":
    "Le lien de connexion n’est plus valable : il a déjà servi, ou il est trop ancien.",
  "error.passkey.again": "Réessayer",
  "error.passkey.heading": "Connexion impossible",
  "error.passkey.text": "La clé d’accès n’a pas pu être vérifiée.",
  "error.request.again": "Recommencer",
  "error.large.heading": "Votre session n’a pas pu être enregistrée",
  "error.large.text":
    "Votre compte contient plus d’informations que n’en peuvent contenir les cookies de votre navigateur. Les responsables de ce site doivent corriger ce problème.",
  "error.large.again": "Revenir à la connexion",
  "error.request.heading": "Cela n’a pas fonctionné",
  "error.request.text": "La demande comportait une erreur.",
  "error.taken.again": "Se connecter",
  "error.taken.heading": "Le compte existe déjà",
  "error.taken.text":
    "Ce avec quoi vous vous êtes connecté appartient à un autre compte. Connectez-vous comme la fois précédente.",
  "error.title": "Erreur",
  "error.unknown.again": "Réessayer",
  "error.passkey-taken.heading": "Le compte existe déjà",
  "error.passkey-taken.text":
    "Ce avec quoi vous vous êtes connecté appartient à un autre compte. Connectez-vous comme la fois précédente.",
  "error.passkey-taken.again": "Se connecter",
  "error.unverified.heading": "Confirmez votre adresse e-mail",
  "error.unverified.text":
    "Ce service n’a pas encore vérifié votre adresse e-mail. Confirmez-la auprès de lui puis reconnectez-vous, ou choisissez un autre moyen de connexion.",
  "error.unverified.again": "Revenir à la connexion",
  "error.required.heading": "Se connecter",
  "error.required.text": "Connectez-vous pour voir cette page.",
  "error.required.again": "Se connecter",
  "error.unknown.heading": "Un problème est survenu",
  "error.unknown.text": "La connexion n’a pas pu être terminée.",
  "error.unreachable.again": "Choisir un autre moyen",
  "error.unreachable.heading": "Connexion impossible",
  "error.unreachable.text": "Le service choisi est injoignable pour le moment.",
  "error.unsent.again": "Réessayer",
  "error.unsent.heading": "E-mail non envoyé",
  "error.unsent.text":
    "L’e-mail n’a pas pu être envoyé. Vérifiez l’adresse ou réessayez plus tard.",
  "factor.any": "Code de l’application ou code de secours",
  "factor.back": "Retour",
  "factor.cancel": "Annuler",
  "factor.code": "Code de l’application",
  "factor.codes.heading": "Codes de secours",
  "factor.codes.text":
    "Si vous perdez votre téléphone, chacun de ces codes vous permet de vous connecter une fois. Conservez-les en lieu sûr : ils ne seront plus affichés.",
  "factor.heading": "Saisissez votre code",
  "factor.off":
    "À la connexion, vous saisissez aussi un code d’une application de votre téléphone.",
  "factor.on": "Elle est activée. Codes de secours non utilisés : {count}",
  "factor.recovery": "Utiliser un code de secours",
  "factor.recovery.code": "Code de secours",
  "factor.remove": "Désactiver",
  "factor.renew": "Nouveaux codes de secours",
  "factor.renew.text": "Vos codes de secours actuels ne fonctionneront plus.",
  "factor.setup": "Configurer",
  "factor.setup.heading": "Configurer la validation en deux étapes",
  "factor.setup.image": "QR code pour l’application d’authentification",
  "factor.setup.key": "Ou saisissez cette clé dans l’application :",
  "factor.setup.link": "Ouvrir l’application sur cet appareil",
  "factor.setup.required":
    "Pour vous connecter ici, il vous faut aussi un code d’une application d’authentification.",
  "factor.setup.submit": "Activer",
  "factor.setup.text":
    "Scannez cette image avec une application d’authentification sur votre téléphone, puis saisissez le code qu’elle affiche.",
  "factor.submit": "Continuer",
  "factor.text":
    "Ouvrez votre application d’authentification et saisissez le code qu’elle affiche pour {name}.",
  "factor.title": "Validation en deux étapes",
  "failure.400": "La demande n’a pas pu être comprise. Revenez en arrière et réessayez.",
  "failure.404": "Il n’y a rien ici. L’adresse contient peut-être une faute de frappe.",
  "failure.405": "Cela n’est pas possible de cette façon. Recommencez depuis la page de connexion.",
  "failure.500":
    "Un problème est survenu sur ce serveur ; son journal en dit plus. Réessayez plus tard.",
  "failure.absent": "Page introuvable",
  "failure.title": "Erreur",
  "limited.title": "Trop de tentatives",
  "limited.wait": "Trop de tentatives. Réessayez dans {duration}.",
  "link.home": "Aller sur {host}",
  "link.signin": "Se connecter",
  "mail.button": "Se connecter",
  "mail.fallback": "Si le bouton ne fonctionne pas, copiez cette adresse dans votre navigateur :",
  "mail.heading": "Connexion à {host}",
  "mail.invitation": "Ouvrez ce lien pour vous connecter :",
  "mail.notice":
    "Si vous n’avez pas demandé cet e-mail, vous pouvez l’ignorer. Personne ne peut se connecter sans le lien : ne le transmettez pas.",
  "mail.subject": "Connexion à {host}",
  "mail.validity": "Le lien fonctionne une seule fois, pendant {duration}.",
  "passkey.add": "Ajouter une clé d’accès",
  "passkey.add.failed":
    "Cela n’a pas fonctionné. Réessayez ; cet appareil a peut-être déjà une clé d’accès à vous.",
  "passkey.added": "Ajoutée le {date}",
  "passkey.email": "E-mail",
  "passkey.failed": "Cela n’a pas fonctionné. Réessayez ou connectez-vous autrement.",
  "passkey.heading": "Clés d’accès",
  "passkey.instead":
    "Les clés d’accès demandent un navigateur qui les connaît, avec JavaScript activé.",
  "passkey.one": "Clé d’accès {number}",
  "passkey.register": "S’inscrire avec une clé d’accès",
  "passkey.register.by": "S’inscrire avec {name}",
  "passkey.remove": "Retirer",
  "passkey.remove.what": "Retirer la clé d’accès {number}",
  "passkey.signin": "Se connecter avec une clé d’accès",
  "passkey.single": "Sur un seul appareil",
  "passkey.synced": "Conservée sur plusieurs appareils",
  "passkey.text": "Une empreinte, un visage ou un code PIN au lieu d’un mot de passe.",
  "passkey.via.hybrid": "Téléphone",
  "passkey.via.internal": "Intégrée",
  "signin.closed": "Personne ne peut encore se connecter ici. Revenez plus tard.",
  "signin.error.ambiguous":
    "Votre navigateur a envoyé les sessions de deux comptes. Supprimez les cookies de ce site, puis reconnectez-vous.",
  "signin.error.broken":
    "Ce mode de connexion ne fonctionne pas pour le moment. Essayez-en un autre ou revenez plus tard.",
  "signin.error.check":
    "La connexion a pris trop de temps, ou ses cookies ont été perdus. Veuillez réessayer.",
  "signin.error.credentials": "La connexion a échoué. Vérifiez votre saisie et réessayez.",
  "signin.error.csrf":
    "Cette page est restée ouverte trop longtemps, ou votre navigateur bloque ses cookies. Veuillez réessayer.",
  "signin.error.denied":
    "Vous n’êtes pas autorisé à vous connecter. Utilisez un autre compte ou adressez-vous aux responsables du site.",
  "signin.error.factor":
    "Ce code n’est pas valable. Saisissez celui que l’application affiche maintenant ; chacun ne sert qu’une fois. Après plusieurs codes erronés, attendez 15 minutes.",
  "signin.error.failed": "La connexion n’a pas abouti. Réessayez ou utilisez un autre compte.",
  "signin.error.fresh":
    "Pour protéger votre compte, reconnectez-vous avant de faire cette modification. Rien n’a encore été modifié ; vous reviendrez ensuite là où vous étiez.",
  "signin.error.limited": "Trop de tentatives. Patientez quelques minutes, puis réessayez.",
  "signin.error.link":
    "Le lien de connexion n’est plus valable : il a déjà servi, ou il est trop ancien. Demandez-en un nouveau.",
  "signin.error.passkey": "La clé d’accès n’a pas pu être vérifiée. Veuillez réessayer.",
  "signin.error.passkey-taken":
    "Cette clé d’accès ou son adresse appartient déjà à un compte. Connectez-vous comme la fois précédente.",
  "signin.error.request": "La demande comportait une erreur. Veuillez réessayer.",
  "signin.error.taken":
    "Votre adresse appartient déjà à un compte. Connectez-vous comme la fois précédente.",
  "signin.error.unknown": "Un problème est survenu. Veuillez réessayer.",
  "signin.error.unreachable":
    "Le service choisi est injoignable. Réessayez ou choisissez-en un autre.",
  "signin.error.unsent":
    "L’e-mail n’a pas pu être envoyé. Vérifiez l’adresse ou réessayez plus tard.",
  "signin.heading": "Connexion",
  "signin.more": "{count} autres façons de se connecter",
  "signin.or": "ou",
  "signin.error.large":
    "Votre compte contient plus d’informations que n’en peuvent contenir les cookies de votre navigateur. Les responsables de ce site doivent corriger ce problème.",
  "signin.error.unverified":
    "Ce service n’a pas encore vérifié votre adresse e-mail. Confirmez-la auprès de lui puis reconnectez-vous, ou choisissez un autre moyen de connexion.",
  "signin.error.required": "Connectez-vous pour voir cette page.",
  "signin.title": "Connexion",
  "signin.with": "Se connecter avec {name}",
  "signout.heading": "Se déconnecter ?",
  "signout.stay": "Rester connecté",
  "signout.submit": "Se déconnecter",
  "signout.text": "Vous pourrez vous reconnecter à tout moment.",
  "signout.title": "Déconnexion",
  "verify.again": "Demander un autre lien",
  "verify.heading": "Consultez vos e-mails",
  "verify.hint":
    "Rien après quelques minutes ? Regardez dans les courriers indésirables, ou redemandez un lien.",
  "verify.text": "Un lien de connexion est en route. Vous pouvez fermer cette page.",
  "verify.title": "Vérifier la demande",
};

/** Adds the French texts of the pages and e-mails. */
export function frenchPlugin(): Plugin {
  return definePlugin(
    {
      name: "languages/fr",
      setup(kernel) {
        kernel.addLanguage({ tag: "fr", messages: MESSAGES });
      },
    },
    [frenchPlugin],
  );
}
