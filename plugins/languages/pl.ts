import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "Połącz inne konto",
  "account.done": "Zapisano zmiany",
  "account.email": "Link z\u00a0e-maila",
  "account.error.check":
    "Ta próba wygasła lub została już wykorzystana. Niczego nie zmieniono, a\u00a0Twoja sesja nadal trwa.",
  "account.error.denied":
    "Ta witryna nie akceptuje tego konta. Niczego nie zmieniono. Użyj innego lub skontaktuj się z\u00a0właścicielem witryny.",
  "account.error.failed":
    "Operację anulowano lub nie udało się jej ukończyć. Niczego nie zmieniono. Spróbuj ponownie.",
  "account.error.link":
    "Ten link do logowania wygasł lub został już wykorzystany. Twoja sesja trwa, więc nowy link nie jest potrzebny.",
  "account.error.passkey":
    "Nie udało się zweryfikować klucza dostępu. Niczego nie zmieniono. Spróbuj ponownie.",
  "account.error.passkey-taken":
    "Ten klucz dostępu jest już używany, tutaj lub na innym koncie. Niczego nie zmieniono. Aby się nim zalogować, najpierw się wyloguj.",
  "account.error.required":
    "Teraz trwa sesja innego konta. Niczego nie zmieniono. Sprawdź, którego konta chcesz użyć, i\u00a0spróbuj ponownie.",
  "account.error.taken":
    "To konto lub jego adres e\u2011mail należy już do innej osoby. Niczego nie zmieniono. Spróbuj użyć innego konta.",
  "account.error.unreachable":
    "Nie udało się połączyć z\u00a0tą usługą. Niczego nie zmieniono. Spróbuj ponownie później.",
  "account.failed": "Wystąpił błąd i\u00a0niczego nie zmieniono. Spróbuj ponownie.",
  "account.heading": "Twoje konto",
  "account.home": "Wróć do {host}",
  "account.last": "To Twoja jedyna metoda logowania. Zanim ją usuniesz, dodaj inną.",
  "account.link": "Połącz {name}",
  "account.more": "Połącz inne konto ({count})",
  "account.only": "Twoja jedyna metoda logowania",
  "account.session": "Sesja",
  "account.session.began": "Zalogowano: {date}",
  "account.session.end": "Wyloguj",
  "account.session.end.what": "Wyloguj sesję: {date}",
  "account.session.ends": "Wygasa, jeśli nieużywana: {date}",
  "account.session.here": "Ta przeglądarka",
  "account.sessions": "Aktywne sesje",
  "account.sessions.end": "Wyloguj inne sesje",
  "account.sessions.more": "Starsze sesje",
  "account.sessions.text":
    "Miejsca, w\u00a0których trwa Twoja sesja. Wyloguj sesje, których nie rozpoznajesz.",
  "account.signout": "Wyloguj",
  "account.title": "Konto",
  "account.unlink": "Odłącz",
  "account.unlink.what": "Odłącz {name}",
  "account.methods": "Metody logowania",
  "account.methods.text": "Zaloguj się dowolną z\u00a0tych metod.",
  "app.allow": "Zezwól",
  "app.deny": "Odmów",
  "app.heading": "Zalogować się w\u00a0{name}?",
  "app.text": "{name} chce zalogować się jako {user}.",
  "app.title": "Logowanie w\u00a0aplikacji",
  "app.warning":
    "Zezwól tylko wtedy, gdy logowanie w\u00a0aplikacji zostało przed chwilą rozpoczęte przez Ciebie.",
  "confirm.heading": "Potwierdź logowanie",
  "confirm.notice": "Jeśli ten link nie został wysłany na Twoją prośbę, zamknij tę stronę.",
  "confirm.submit": "Zaloguj się",
  "confirm.text": "Logujesz się jako {email}",
  "confirm.title": "Potwierdź logowanie",
  "credentials.code": "Kod",
  "credentials.email": "Adres e-mail",
  "credentials.password": "Hasło",
  "credentials.phone": "Numer telefonu",
  "credentials.pin": "Kod PIN",
  "credentials.submit": "Zaloguj się",
  "credentials.username": "Nazwa użytkownika",
  "device.allowed": "Zalogowano na Twoim urządzeniu. Możesz zamknąć tę stronę.",
  "device.code": "Kod",
  "device.denied": "Odmówiono zalogowania. Możesz zamknąć tę stronę.",
  "device.submit": "Dalej",
  "device.text": "Wpisz kod, który pokazuje Twoje urządzenie.",
  "device.title": "Logowanie na urządzeniu",
  "device.warning":
    "Zezwól tylko wtedy, gdy urządzenie przed Tobą pokazuje kod {code}. Jeśli ktoś przysłał Ci ten kod, odmów: ta osoba mogłaby używać Twojego konta.",
  "email.code": "Kod",
  "email.code.text": "Możesz też wpisać tutaj kod z\u00a0tej wiadomości:",
  "email.label": "Adres e-mail",
  "email.placeholder": "nazwa@example.com",
  "email.submit": "Wyślij link do logowania",
  "email.submit.by": "Wyślij link do logowania ({name})",
  "error.ambiguous.again": "Zacznij od nowa",
  "error.ambiguous.heading": "Dwa konta jednocześnie",
  "error.ambiguous.text":
    "Przeglądarka wysłała sesje dwóch kont, więc niczego nie zmieniono. Usuń pliki cookie tej witryny i\u00a0zaloguj się ponownie.",
  "error.broken.again": "Spróbuj ponownie",
  "error.broken.heading": "Błąd serwera",
  "error.broken.text":
    "Wystąpił błąd po naszej stronie. Spróbuj ponownie. Jeśli problem się powtarza, skontaktuj się z\u00a0właścicielem witryny.",
  "error.check.again": "Spróbuj ponownie",
  "error.check.heading": "Nie można się zalogować",
  "error.check.text":
    "Próba logowania wygasła lub została już wykorzystana albo przeglądarka zablokowała pliki cookie. Zezwól tej witrynie na pliki cookie i\u00a0spróbuj ponownie.",
  "error.credentials.again": "Spróbuj ponownie",
  "error.credentials.heading": "Nie można się zalogować",
  "error.credentials.text":
    "Wpisane dane nie zostały przyjęte. Sprawdź je i\u00a0spróbuj ponownie.",
  "error.csrf.again": "Spróbuj ponownie",
  "error.csrf.heading": "Ta strona wygasła",
  "error.csrf.text":
    "Była otwarta zbyt długo albo przeglądarka blokuje pliki cookie. Zezwól tej witrynie na pliki cookie i\u00a0spróbuj ponownie.",
  "error.denied.again": "Użyj innego konta",
  "error.denied.heading": "Odmowa dostępu",
  "error.denied.text":
    "Tym kontem nie można się tutaj zalogować. Użyj innego lub skontaktuj się z\u00a0właścicielem witryny.",
  "error.failed.again": "Spróbuj ponownie",
  "error.failed.heading": "Nie można się zalogować",
  "error.failed.text":
    "Logowanie anulowano lub nie udało się go ukończyć. Spróbuj ponownie lub wybierz inną metodę logowania.",
  "error.fresh.again": "Zaloguj się",
  "error.fresh.heading": "Zaloguj się ponownie",
  "error.fresh.text":
    "Aby chronić swoje konto, zaloguj się ponownie przed wprowadzeniem tej zmiany. Niczego nie zmieniono.",
  "error.large.again": "Wróć do logowania",
  "error.large.heading": "Logowanie nie powiodło się",
  "error.large.text":
    "Twoje konto zawiera więcej informacji, niż mogą pomieścić pliki cookie przeglądarki. Skontaktuj się z\u00a0właścicielem witryny.",
  "error.link.again": "Poproś o\u00a0nowy link",
  "error.link.heading": "Ten link już nie działa",
  "error.link.text":
    "Linki do logowania działają tylko raz i\u00a0po pewnym czasie wygasają. Poproś o\u00a0nowy, aby się zalogować.",
  "error.passkey-taken.again": "Zaloguj się",
  "error.passkey-taken.heading": "Konto już istnieje",
  "error.passkey-taken.text":
    "Konto z\u00a0tym kluczem dostępu lub adresem e\u2011mail już istnieje. Zaloguj się wcześniej używaną metodą.",
  "error.passkey.again": "Spróbuj ponownie",
  "error.passkey.heading": "Nie można się zalogować",
  "error.passkey.text":
    "Nie udało się zweryfikować klucza dostępu. Spróbuj ponownie lub użyj innej metody logowania.",
  "error.request.again": "Zacznij od nowa",
  "error.request.heading": "Nie udało się przetworzyć żądania",
  "error.request.text":
    "Żądanie było niepełne lub nieprawidłowe. Zacznij od nowa na stronie logowania.",
  "error.required.again": "Zaloguj się",
  "error.required.heading": "Zaloguj się, aby kontynuować",
  "error.required.text": "Nie masz otwartej sesji lub sesja wygasła. Zaloguj się, aby kontynuować.",
  "error.taken.again": "Zaloguj się",
  "error.taken.heading": "Konto już istnieje",
  "error.taken.text":
    "Ten adres e\u2011mail lub ta metoda logowania należy już do istniejącego konta. Zaloguj się wcześniej używaną metodą.",
  "error.title": "Błąd",
  "error.unknown.again": "Spróbuj ponownie",
  "error.unknown.heading": "Wystąpił błąd",
  "error.unknown.text": "Nie udało się ukończyć logowania. Spróbuj ponownie.",
  "error.unreachable.again": "Wybierz inną metodę",
  "error.unreachable.heading": "Usługa niedostępna",
  "error.unreachable.text":
    "Nie udało się połączyć z\u00a0wybraną usługą. Spróbuj ponownie za chwilę lub wybierz inną metodę logowania.",
  "error.unsent.again": "Spróbuj ponownie",
  "error.unsent.heading": "Nie wysłano e\u2011maila",
  "error.unsent.text": "Nie udało się wysłać e\u2011maila. Sprawdź adres i\u00a0spróbuj ponownie.",
  "error.unverified.again": "Wróć do logowania",
  "error.unverified.heading": "Potwierdź adres e\u2011mail",
  "error.unverified.text":
    "Ta usługa nie potwierdziła jeszcze Twojego adresu e\u2011mail. Potwierdź go w\u00a0niej i\u00a0zaloguj się ponownie lub wybierz inną metodę logowania.",
  "factor.any": "Kod z\u00a0aplikacji lub kod odzyskiwania",
  "factor.back": "Wstecz",
  "factor.cancel": "Anuluj",
  "factor.code": "Kod z\u00a0aplikacji",
  "factor.codes.heading": "Kody odzyskiwania",
  "factor.codes.text":
    "Jeśli zgubisz telefon, każdym z\u00a0tych kodów możesz zalogować się jeden raz. Przechowuj je w\u00a0bezpiecznym miejscu: nie zostaną pokazane ponownie.",
  "factor.heading": "Wpisz kod",
  "factor.off":
    "Chroń swoje konto, podając przy każdym logowaniu kod z\u00a0aplikacji na telefonie.",
  "factor.on": {
    one: "Włączona. Masz {count} niewykorzystany kod odzyskiwania.",
    few: "Włączona. Masz {count} niewykorzystane kody odzyskiwania.",
    many: "Włączona. Masz {count} niewykorzystanych kodów odzyskiwania.",
    other: "Włączona. Masz {count} niewykorzystanego kodu odzyskiwania.",
  },
  "factor.recovery": "Użyj kodu odzyskiwania",
  "factor.recovery.code": "Kod odzyskiwania",
  "factor.remove": "Wyłącz",
  "factor.renew": "Utwórz nowe kody odzyskiwania",
  "factor.renew.text": "Obecne kody odzyskiwania przestaną działać.",
  "factor.setup": "Skonfiguruj",
  "factor.setup.heading": "Skonfiguruj weryfikację dwuetapową",
  "factor.setup.image": "Kod QR dla aplikacji uwierzytelniającej",
  "factor.setup.key": "Lub wpisz ten klucz w\u00a0aplikacji:",
  "factor.setup.link": "Otwórz aplikację na tym urządzeniu",
  "factor.setup.required":
    "Aby się tutaj zalogować, potrzebujesz też kodu z\u00a0aplikacji uwierzytelniającej.",
  "factor.setup.submit": "Włącz",
  "factor.setup.text":
    "Zeskanuj ten obraz aplikacją uwierzytelniającą na telefonie, a\u00a0następnie wpisz kod, który pokaże aplikacja.",
  "factor.submit": "Dalej",
  "factor.text": "Otwórz aplikację uwierzytelniającą i\u00a0wpisz kod, który pokazuje dla {name}.",
  "factor.title": "Weryfikacja dwuetapowa",
  "failure.400": "Nie udało się przetworzyć tego żądania. Wróć i\u00a0spróbuj ponownie.",
  "failure.404": "Ta strona nie istnieje. Sprawdź, czy adres jest poprawny.",
  "failure.405": "Tej czynności nie można tu wykonać. Zacznij od nowa na stronie logowania.",
  "failure.500": "Wystąpił błąd po naszej stronie. Spróbuj ponownie później.",
  "failure.absent": "Nie znaleziono strony",
  "failure.title": "Wystąpił błąd",
  "limited.title": "Zbyt wiele prób",
  "limited.wait": "Zbyt wiele prób. Czas do następnej próby: {duration}.",
  "link.home": "Przejdź do {host}",
  "link.signin": "Zaloguj się",
  "mail.button": "Zaloguj się",
  "mail.code":
    "Możesz też wpisać ten kod na stronie, na której o\u00a0niego poproszono, i\u00a0nigdzie indziej. Ważność: {duration}.",
  "mail.fallback": "Jeśli przycisk nie działa, wklej ten link w\u00a0przeglądarce:",
  "mail.heading": "Logowanie do {host}",
  "mail.invitation": "Otwórz ten link, aby się zalogować:",
  "mail.notice":
    "Jeśli ten e\u2011mail nie został wysłany na Twoją prośbę, możesz go zignorować. Nie przesyłaj go dalej: każdy, kto ma ten link, może zalogować się jako Ty.",
  "mail.subject": "Logowanie do {host}",
  "mail.validity": "Tego linku można użyć tylko raz. Ważność: {duration}.",
  "passkey.add": "Dodaj klucz dostępu",
  "passkey.add.failed":
    "Nie udało się dodać klucza dostępu. Być może masz już klucz na tym urządzeniu lub anulowano żądanie. Spróbuj ponownie.",
  "passkey.added": "Dodano: {date}",
  "passkey.autofill": "Adres e-mail",
  "passkey.email": "Adres e-mail nowego konta",
  "passkey.failed":
    "Żądanie klucza dostępu nie powiodło się lub zostało anulowane. Spróbuj ponownie lub użyj innej metody logowania.",
  "passkey.heading": "Klucze dostępu",
  "passkey.instead": "Klucze dostępu wymagają JavaScriptu i\u00a0przeglądarki, która je obsługuje.",
  "passkey.one": "Klucz dostępu {number}",
  "passkey.register": "Zarejestruj się kluczem dostępu",
  "passkey.register.by": "Zarejestruj się przez {name}",
  "passkey.remove": "Usuń",
  "passkey.remove.what": "Usuń klucz dostępu {number}",
  "passkey.signin": "Użyj klucza dostępu",
  "passkey.single": "Jedno urządzenie",
  "passkey.synced": "Zsynchronizowany",
  "passkey.text": "Zaloguj się odciskiem palca, twarzą lub kodem PIN urządzenia zamiast hasłem.",
  "signin.closed": "Logowanie nie jest jeszcze dostępne. Spróbuj ponownie później.",
  "signin.error.ambiguous":
    "Przeglądarka wysłała sesje dwóch kont. Usuń pliki cookie tej witryny i\u00a0zaloguj się ponownie.",
  "signin.error.broken":
    "Ta metoda logowania teraz nie działa. Wybierz inną lub spróbuj ponownie później.",
  "signin.error.check":
    "Próba logowania wygasła lub została już wykorzystana albo przeglądarka zablokowała pliki cookie. Zezwól tej witrynie na pliki cookie i\u00a0spróbuj ponownie.",
  "signin.error.credentials": "Nie udało się zalogować. Sprawdź dane i\u00a0spróbuj ponownie.",
  "signin.error.csrf":
    "Ta strona wygasła albo przeglądarka blokuje pliki cookie. Zezwól tej witrynie na pliki cookie i\u00a0spróbuj ponownie.",
  "signin.error.denied":
    "Tym kontem nie można się tutaj zalogować. Użyj innego lub skontaktuj się z\u00a0właścicielem witryny.",
  "signin.error.device":
    "Ten kod jest nieprawidłowy. Wpisz ten, który teraz pokazuje Twoje urządzenie; każdy kod działa raz. Po kilku błędnych kodach odczekaj 15 minut.",
  "signin.error.email-code":
    "Ten kod jest nieprawidłowy lub wygasł. Wpisz kod z\u00a0najnowszej wiadomości lub poproś o\u00a0nowy link.",
  "signin.error.factor":
    "Ten kod jest nieprawidłowy. Wpisz kod, który aplikacja pokazuje teraz; każdy działa tylko raz. Po kilku błędnych kodach odczekaj 15 minut.",
  "signin.error.failed":
    "Logowanie anulowano lub nie udało się go ukończyć. Spróbuj ponownie lub wybierz inną metodę logowania.",
  "signin.error.fresh":
    "Aby chronić swoje konto, zaloguj się ponownie przed wprowadzeniem tej zmiany. Niczego jeszcze nie zmieniono; potem wrócisz w\u00a0to samo miejsce.",
  "signin.error.large":
    "Twoje konto zawiera więcej informacji, niż mogą pomieścić pliki cookie przeglądarki. Skontaktuj się z\u00a0właścicielem witryny.",
  "signin.error.limited": "Zbyt wiele prób. Odczekaj kilka minut i\u00a0spróbuj ponownie.",
  "signin.error.link":
    "Ten link do logowania wygasł lub został już wykorzystany. Poproś o\u00a0nowy.",
  "signin.error.passkey":
    "Nie udało się zweryfikować klucza dostępu. Spróbuj ponownie lub użyj innej metody logowania.",
  "signin.error.passkey-taken":
    "Konto z\u00a0tym kluczem dostępu lub adresem e\u2011mail już istnieje. Zaloguj się wcześniej używaną metodą.",
  "signin.error.request": "Żądanie było niepełne lub nieprawidłowe. Spróbuj ponownie.",
  "signin.error.required":
    "Nie masz otwartej sesji lub sesja wygasła. Zaloguj się, aby kontynuować.",
  "signin.error.taken":
    "Konto z\u00a0tym adresem e\u2011mail już istnieje. Zaloguj się wcześniej używaną metodą.",
  "signin.error.unknown": "Wystąpił błąd. Spróbuj ponownie.",
  "signin.error.unreachable":
    "Nie udało się połączyć z\u00a0tą usługą. Spróbuj ponownie lub wybierz inną metodę logowania.",
  "signin.error.unsent":
    "Nie udało się wysłać e\u2011maila. Sprawdź adres i\u00a0spróbuj ponownie.",
  "signin.error.unverified":
    "Ta usługa nie potwierdziła jeszcze Twojego adresu e\u2011mail. Potwierdź go w\u00a0niej i\u00a0zaloguj się ponownie lub wybierz inną metodę logowania.",
  "signin.heading": "Zaloguj się",
  "signin.more": "Pokaż więcej ({count})",
  "signin.or": "lub",
  "signin.title": "Zaloguj się",
  "signin.with": "Zaloguj się przez {name}",
  "signout.heading": "Wylogować się?",
  "signout.stay": "Nie wylogowuj",
  "signout.submit": "Wyloguj",
  "signout.text": "W\u00a0każdej chwili możesz zalogować się ponownie.",
  "signout.title": "Wyloguj",
  "verify.again": "Poproś o\u00a0nowy link",
  "verify.heading": "Sprawdź pocztę",
  "verify.hint": "Nie ma wiadomości? Sprawdź folder ze spamem lub poproś o\u00a0nowy link.",
  "verify.text":
    "Wysłaliśmy Ci link do logowania. Otwórz go, aby kontynuować; możesz zamknąć tę stronę.",
  "verify.title": "Sprawdź pocztę",
};

/** Adds the Polish texts of the pages and e-mails. */
export const polishPlugin: () => Plugin = definePlugin(function polishPlugin(): Plugin {
  return {
    name: "languages/pl",
    setup(kernel) {
      kernel.addLanguage({ tag: "pl", messages: MESSAGES });
    },
  };
});
