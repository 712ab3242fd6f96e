import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Associer un autre compte",
  "account.done": "Modifications enregistrées",
  "account.email": "Lien par e-mail",
  "account.error.check":
    "Cette tentative a expiré ou a déjà servi. Rien n’a été modifié et votre session reste ouverte.",
  "account.error.denied":
    "Ce site n’accepte pas ce compte. Rien n’a été modifié. Utilisez\u2011en un autre ou contactez le responsable du site.",
  "account.error.failed":
    "L’opération a été annulée ou n’a pas abouti. Rien n’a été modifié. Réessayez.",
  "account.error.link":
    "Ce lien de connexion a expiré ou a déjà été utilisé. Votre session est ouverte\u00a0: vous n’avez pas besoin d’un nouveau lien.",
  "account.error.passkey":
    "La clé d’accès n’a pas pu être vérifiée. Rien n’a été modifié. Réessayez.",
  "account.error.passkey-taken":
    "Cette clé d’accès est déjà utilisée, ici ou par un autre compte. Rien n’a été modifié. Pour vous connecter avec elle, déconnectez-vous d’abord.",
  "account.error.required":
    "Votre session est maintenant celle d’un autre compte. Rien n’a été modifié. Vérifiez quel compte vous voulez utiliser, puis réessayez.",
  "account.error.taken":
    "Ce compte ou son adresse e\u2011mail appartient déjà à une autre personne. Rien n’a été modifié. Essayez avec un autre compte.",
  "account.error.unreachable":
    "Ce service est injoignable. Rien n’a été modifié. Réessayez plus tard.",
  "account.failed": "Une erreur s’est produite et rien n’a été modifié. Réessayez.",
  "account.heading": "Votre compte",
  "account.home": "Retour à {host}",
  "account.last":
    "C’est votre seule méthode de connexion. Ajoutez\u2011en une autre avant de la supprimer.",
  "account.link": "Associer {name}",
  "account.more": "Associer un autre compte ({count})",
  "account.only": "Votre seule méthode de connexion",
  "account.session": "Session",
  "account.session.began": "Connexion le {date}",
  "account.session.end": "Déconnecter",
  "account.session.end.what": "Déconnecter la session du {date}",
  "account.session.ends": "Expire le {date} en cas d’inactivité",
  "account.session.here": "Ce navigateur",
  "account.sessions": "Sessions actives",
  "account.sessions.end": "Se déconnecter des autres sessions",
  "account.sessions.more": "Sessions plus anciennes",
  "account.sessions.text":
    "Vos sessions ouvertes. Déconnectez celles que vous ne reconnaissez pas.",
  "account.signout": "Se déconnecter",
  "account.title": "Compte",
  "account.unlink": "Dissocier",
  "account.unlink.what": "Dissocier {name}",
  "account.methods": "Méthodes de connexion",
  "account.methods.text": "Vous pouvez utiliser n’importe laquelle pour vous connecter.",
  "app.allow": "Autoriser",
  "app.deny": "Refuser",
  "app.heading": "Se connecter à {name}\u202f?",
  "app.text": "{name} souhaite se connecter en tant que {user}.",
  "app.title": "Se connecter à une application",
  "app.warning":
    "N’autorisez cette connexion que si vous venez de la lancer vous\u2011même dans l’application.",
  "confirm.heading": "Confirmer la connexion",
  "confirm.notice": "Si vous n’avez pas demandé ce lien, fermez cette page.",
  "confirm.submit": "Se connecter",
  "confirm.text": "Vous vous connectez en tant que {email}",
  "confirm.title": "Confirmer la connexion",
  "credentials.code": "Code de vérification",
  "credentials.email": "Adresse e-mail",
  "credentials.password": "Mot de passe",
  "credentials.phone": "Numéro de téléphone",
  "credentials.pin": "Code PIN",
  "credentials.submit": "Se connecter",
  "credentials.username": "Nom d’utilisateur",
  "device.allowed": "La connexion sur votre appareil est établie. Vous pouvez fermer cette page.",
  "device.code": "Code",
  "device.denied": "Vous avez refusé la connexion. Vous pouvez fermer cette page.",
  "device.submit": "Continuer",
  "device.text": "Saisissez le code affiché par votre appareil.",
  "device.title": "Se connecter sur un appareil",
  "device.warning":
    "N’autorisez cette connexion que si un appareil devant vous affiche le code {code}. Si quelqu’un vous a envoyé ce code, refusez\u00a0: cette personne pourrait utiliser votre compte.",
  "email.code": "Code",
  "email.code.text": "Ou saisissez ici le code de cet e\u2011mail\u00a0:",
  "email.label": "Adresse e-mail",
  "email.placeholder": "nom@example.com",
  "email.submit": "M’envoyer un lien de connexion",
  "email.submit.by": "M’envoyer un lien de connexion ({name})",
  "error.ambiguous.again": "Recommencer",
  "error.ambiguous.heading": "Deux comptes à la fois",
  "error.ambiguous.text":
    "Votre navigateur a envoyé les sessions de deux comptes\u00a0: rien n’a été modifié. Supprimez les cookies de ce site, puis reconnectez-vous.",
  "error.broken.again": "Réessayer",
  "error.broken.heading": "Erreur du serveur",
  "error.broken.text":
    "Une erreur s’est produite de notre côté. Réessayez. Si le problème persiste, contactez le responsable du site.",
  "error.check.again": "Réessayer",
  "error.check.heading": "Connexion impossible",
  "error.check.text":
    "La tentative de connexion a expiré ou a déjà servi, ou votre navigateur a bloqué les cookies. Autorisez les cookies pour ce site et réessayez.",
  "error.credentials.again": "Réessayer",
  "error.credentials.heading": "Connexion impossible",
  "error.credentials.text":
    "Ces informations n’ont pas été acceptées. Vérifiez\u2011les et réessayez.",
  "error.csrf.again": "Réessayer",
  "error.csrf.heading": "Page expirée",
  "error.csrf.text":
    "La page est restée ouverte trop longtemps, ou votre navigateur bloque les cookies. Autorisez les cookies pour ce site et réessayez.",
  "error.denied.again": "Utiliser un autre compte",
  "error.denied.heading": "Accès refusé",
  "error.denied.text":
    "Ce compte n’est pas autorisé à se connecter ici. Utilisez\u2011en un autre ou contactez le responsable du site.",
  "error.failed.again": "Réessayer",
  "error.failed.heading": "Connexion impossible",
  "error.failed.text":
    "La connexion a été annulée ou n’a pas abouti. Réessayez ou choisissez une autre méthode de connexion.",
  "error.fresh.again": "Se connecter",
  "error.fresh.heading": "Reconnectez\u2011vous",
  "error.fresh.text":
    "Pour protéger votre compte, reconnectez-vous avant de faire cette modification. Rien n’a été modifié.",
  "error.large.again": "Revenir à la connexion",
  "error.large.heading": "Connexion impossible",
  "error.large.text":
    "Votre compte contient plus d’informations que les cookies de votre navigateur ne peuvent en enregistrer. Contactez le responsable du site.",
  "error.link.again": "Demander un nouveau lien",
  "error.link.heading": "Ce lien n’est plus valable",
  "error.link.text":
    "Un lien de connexion ne sert qu’une fois et expire après un certain temps. Demandez\u2011en un nouveau pour vous connecter.",
  "error.passkey-taken.again": "Se connecter",
  "error.passkey-taken.heading": "Ce compte existe déjà",
  "error.passkey-taken.text":
    "Un compte existe déjà avec cette clé d’accès ou cette adresse e\u2011mail. Connectez-vous avec la méthode utilisée auparavant.",
  "error.passkey.again": "Réessayer",
  "error.passkey.heading": "Connexion impossible",
  "error.passkey.text":
    "La clé d’accès n’a pas pu être vérifiée. Réessayez ou choisissez une autre méthode de connexion.",
  "error.request.again": "Recommencer",
  "error.request.heading": "Requête non traitée",
  "error.request.text":
    "La requête était incomplète ou invalide. Recommencez depuis la page de connexion.",
  "error.required.again": "Se connecter",
  "error.required.heading": "Connectez\u2011vous pour continuer",
  "error.required.text":
    "Vous n’avez pas ouvert de session, ou elle a expiré. Connectez-vous pour continuer.",
  "error.taken.again": "Se connecter",
  "error.taken.heading": "Ce compte existe déjà",
  "error.taken.text":
    "Cette adresse e\u2011mail ou cette méthode de connexion appartient déjà à un compte. Connectez-vous avec la méthode utilisée auparavant.",
  "error.title": "Erreur",
  "error.unknown.again": "Réessayer",
  "error.unknown.heading": "Un problème est survenu",
  "error.unknown.text": "La connexion n’a pas pu aboutir. Réessayez.",
  "error.unreachable.again": "Choisir une autre méthode",
  "error.unreachable.heading": "Service indisponible",
  "error.unreachable.text":
    "Le service choisi est injoignable pour le moment. Réessayez dans un instant ou choisissez une autre méthode de connexion.",
  "error.unsent.again": "Réessayer",
  "error.unsent.heading": "E\u2011mail non envoyé",
  "error.unsent.text": "L’e\u2011mail n’a pas pu être envoyé. Vérifiez l’adresse et réessayez.",
  "error.unverified.again": "Revenir à la connexion",
  "error.unverified.heading": "Confirmez votre adresse e\u2011mail",
  "error.unverified.text":
    "Ce service n’a pas encore vérifié votre adresse e\u2011mail. Confirmez\u2011la auprès de lui et reconnectez-vous, ou choisissez une autre méthode de connexion.",
  "factor.any": "Code de l’application ou code de secours",
  "factor.back": "Retour",
  "factor.cancel": "Annuler",
  "factor.code": "Code de l’application",
  "factor.codes.heading": "Codes de secours",
  "factor.codes.text":
    "Si vous perdez votre téléphone, chacun de ces codes vous permet de vous connecter une fois. Conservez\u2011les en lieu sûr\u00a0: ils ne seront plus affichés.",
  "factor.heading": "Saisissez votre code",
  "factor.off":
    "Protégez votre compte avec un code d’une application de votre téléphone à chaque connexion.",
  "factor.on": {
    one: "Activée. Il vous reste {count} code de secours.",
    other: "Activée. Il vous reste {count} codes de secours.",
  },
  "factor.recovery": "Utiliser un code de secours",
  "factor.recovery.code": "Code de secours",
  "factor.remove": "Désactiver",
  "factor.renew": "Créer de nouveaux codes de secours",
  "factor.renew.text": "Vos codes de secours actuels ne fonctionneront plus.",
  "factor.setup": "Configurer",
  "factor.setup.heading": "Configurer la validation en deux étapes",
  "factor.setup.image": "QR code pour l’application d’authentification",
  "factor.setup.key": "Ou saisissez cette clé dans l’application\u00a0:",
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
  "failure.400": "La requête n’a pas pu être traitée. Revenez en arrière et réessayez.",
  "failure.404": "Cette page n’existe pas. Vérifiez l’adresse saisie.",
  "failure.405": "Cette action n’est pas possible ici. Recommencez depuis la page de connexion.",
  "failure.500": "Une erreur s’est produite de notre côté. Réessayez plus tard.",
  "failure.absent": "Page introuvable",
  "failure.title": "Un problème est survenu",
  "limited.title": "Trop de tentatives",
  "limited.wait": "Trop de tentatives. Réessayez dans {duration}.",
  "link.home": "Aller sur {host}",
  "link.signin": "Se connecter",
  "mail.button": "Se connecter",
  "mail.code":
    "Ou saisissez ce code sur la page où vous l’avez demandé, et nulle part ailleurs. Il est valable {duration}.",
  "mail.fallback": "Si le bouton ne fonctionne pas, collez ce lien dans votre navigateur\u00a0:",
  "mail.heading": "Connexion à {host}",
  "mail.invitation": "Ouvrez ce lien pour vous connecter\u00a0:",
  "mail.notice":
    "Si vous n’avez pas demandé cet e\u2011mail, vous pouvez l’ignorer. Ne le transférez pas\u00a0: toute personne disposant du lien peut se connecter à votre place.",
  "mail.subject": "Connexion à {host}",
  "mail.validity": "Ce lien est valable {duration} et ne peut être utilisé qu’une fois.",
  "passkey.add": "Ajouter une clé d’accès",
  "passkey.add.failed":
    "La clé d’accès n’a pas pu être ajoutée. Vous en avez peut-être déjà une sur cet appareil, ou la demande a été annulée. Réessayez.",
  "passkey.added": "Ajoutée le {date}",
  "passkey.autofill": "Adresse e-mail",
  "passkey.email": "Adresse e-mail du nouveau compte",
  "passkey.failed":
    "La demande de clé d’accès a échoué ou a été annulée. Réessayez ou choisissez une autre méthode de connexion.",
  "passkey.heading": "Clés d’accès",
  "passkey.instead": "Les clés d’accès nécessitent JavaScript et un navigateur compatible.",
  "passkey.one": "Clé d’accès {number}",
  "passkey.register": "S’inscrire avec une clé d’accès",
  "passkey.register.by": "S’inscrire avec {name}",
  "passkey.remove": "Retirer",
  "passkey.remove.what": "Retirer la clé d’accès {number}",
  "passkey.signin": "Utiliser une clé d’accès",
  "passkey.single": "Sur un seul appareil",
  "passkey.synced": "Synchronisée",
  "passkey.text":
    "Connectez-vous avec votre empreinte, votre visage ou le code PIN de l’appareil au lieu d’un mot de passe.",
  "signin.closed": "La connexion n’est pas encore disponible. Réessayez plus tard.",
  "signin.error.ambiguous":
    "Votre navigateur a envoyé les sessions de deux comptes. Supprimez les cookies de ce site, puis reconnectez-vous.",
  "signin.error.broken":
    "Cette méthode de connexion ne fonctionne pas pour le moment. Choisissez\u2011en une autre ou réessayez plus tard.",
  "signin.error.check":
    "La tentative de connexion a expiré ou a déjà servi, ou votre navigateur a bloqué les cookies. Autorisez les cookies pour ce site et réessayez.",
  "signin.error.credentials": "La connexion a échoué. Vérifiez vos informations et réessayez.",
  "signin.error.csrf":
    "Cette page a expiré, ou votre navigateur bloque les cookies. Autorisez les cookies pour ce site et réessayez.",
  "signin.error.denied":
    "Ce compte n’est pas autorisé à se connecter ici. Utilisez\u2011en un autre ou contactez le responsable du site.",
  "signin.error.device":
    "Ce code n’est pas valide. Saisissez celui que votre appareil affiche maintenant\u202f; chaque code ne sert qu’une fois. Après plusieurs codes erronés, attendez 15 minutes.",
  "signin.error.email-code":
    "Ce code est erroné ou a expiré. Saisissez celui de l’e\u2011mail le plus récent ou demandez un nouveau lien.",
  "signin.error.factor":
    "Ce code n’est pas valable. Saisissez celui que l’application affiche maintenant\u202f; chacun ne sert qu’une fois. Après plusieurs codes erronés, attendez 15 minutes.",
  "signin.error.failed":
    "La connexion a été annulée ou n’a pas abouti. Réessayez ou choisissez une autre méthode de connexion.",
  "signin.error.fresh":
    "Pour protéger votre compte, reconnectez-vous avant de faire cette modification. Rien n’a encore été modifié\u202f; vous reviendrez ensuite là où vous étiez.",
  "signin.error.large":
    "Votre compte contient plus d’informations que les cookies de votre navigateur ne peuvent en enregistrer. Contactez le responsable du site.",
  "signin.error.limited": "Trop de tentatives. Patientez quelques minutes, puis réessayez.",
  "signin.error.link":
    "Ce lien de connexion a expiré ou a déjà été utilisé. Demandez\u2011en un nouveau.",
  "signin.error.passkey":
    "La clé d’accès n’a pas pu être vérifiée. Réessayez ou choisissez une autre méthode de connexion.",
  "signin.error.passkey-taken":
    "Un compte existe déjà avec cette clé d’accès ou cette adresse e\u2011mail. Connectez-vous avec la méthode utilisée auparavant.",
  "signin.error.request": "La requête était incomplète ou invalide. Réessayez.",
  "signin.error.required":
    "Vous n’avez pas ouvert de session, ou elle a expiré. Connectez-vous pour continuer.",
  "signin.error.taken":
    "Un compte existe déjà avec cette adresse e\u2011mail. Connectez-vous avec la méthode utilisée auparavant.",
  "signin.error.unknown": "Un problème est survenu. Réessayez.",
  "signin.error.unreachable":
    "Ce service est injoignable. Réessayez ou choisissez une autre méthode de connexion.",
  "signin.error.unsent": "L’e\u2011mail n’a pas pu être envoyé. Vérifiez l’adresse et réessayez.",
  "signin.error.unverified":
    "Ce service n’a pas encore vérifié votre adresse e\u2011mail. Confirmez\u2011la auprès de lui et reconnectez-vous, ou choisissez une autre méthode de connexion.",
  "signin.heading": "Connexion",
  "signin.more": "Afficher plus d’options ({count})",
  "signin.or": "ou",
  "signin.title": "Se connecter",
  "signin.with": "Se connecter avec {name}",
  "signout.heading": "Se déconnecter\u202f?",
  "signout.stay": "Annuler",
  "signout.submit": "Se déconnecter",
  "signout.text": "Vous pourrez vous reconnecter à tout moment.",
  "signout.title": "Se déconnecter",
  "verify.again": "Demander un nouveau lien",
  "verify.heading": "Consultez vos e\u2011mails",
  "verify.hint":
    "Vous n’avez rien reçu\u202f? Vérifiez vos courriers indésirables ou demandez un nouveau lien.",
  "verify.text":
    "Nous vous avons envoyé un lien de connexion. Ouvrez\u2011le pour continuer\u202f; vous pouvez fermer cette page.",
  "verify.title": "Consultez vos e-mails",
};

/** Adds the French texts of the pages and e-mails. */
export const frenchPlugin: () => Plugin = definePlugin(function frenchPlugin(): Plugin {
  return {
    name: "languages/fr",
    setup(kernel) {
      kernel.addLanguage({ tag: "fr", messages: MESSAGES });
    },
  };
});
