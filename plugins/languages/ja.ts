import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "ほかのサービスと連携",
  "account.done": "変更を保存しました",
  "account.email": "メールリンク",
  "account.error.check":
    "この操作は期限切れか、すでに完了しています。何も変更されていません。サインインしたままです。",
  "account.error.denied":
    "このサイトでは、そのアカウントを使用できません。何も変更されていません。別のアカウントを使うか、サイトの管理者にお問い合わせください。",
  "account.error.failed":
    "操作がキャンセルされたか、完了しませんでした。何も変更されていません。もう一度お試しください。",
  "account.error.link":
    "このサインイン用リンクは期限切れか、すでに使用されています。サインイン済みのため、新しいリンクは必要ありません。",
  "account.error.passkey":
    "パスキーを確認できませんでした。何も変更されていません。もう一度お試しください。",
  "account.error.passkey-taken":
    "このパスキーは、このアカウントまたは別のアカウントですでに使用されています。何も変更されていません。このパスキーでサインインするには、先にサインアウトしてください。",
  "account.error.required":
    "現在、別のアカウントでサインインしています。何も変更されていません。使用するアカウントを確認して、もう一度お試しください。",
  "account.error.taken":
    "このアカウントまたはそのメールアドレスは、すでに別のユーザーが使用しています。何も変更されていません。別のアカウントをお試しください。",
  "account.error.unreachable":
    "このサービスに接続できませんでした。何も変更されていません。しばらくしてからもう一度お試しください。",
  "account.failed": "問題が発生し、変更されませんでした。もう一度お試しください。",
  "account.heading": "アカウント",
  "account.home": "{host} に戻る",
  "account.last":
    "サインイン方\u2060法はこれだけです。削除する前に、別の方\u2060法を追加してください。",
  "account.link": "{name} と連携",
  "account.more": "ほかのサービスと連携（{count}\u00a0件）",
  "account.only": "唯一のサインイン方法です",
  "account.session": "セッション",
  "account.session.began": "{date} にサインイン",
  "account.session.end": "サインアウト",
  "account.session.end.what": "サインアウト：{date} のセッション",
  "account.session.ends": "使用しない場合、{date} に期限切れ",
  "account.session.here": "このブラウザー",
  "account.sessions": "アクティブなセッション",
  "account.sessions.end": "ほかのセッションからサインアウト",
  "account.sessions.more": "以前のセッション",
  "account.sessions.text":
    "サインイン中のセッションです。心当たりのないものはサインアウトしてください。",
  "account.signout": "サインアウト",
  "account.title": "アカウント",
  "account.unlink": "連携を解除",
  "account.unlink.what": "{name} との連携を解除",
  "account.methods": "サインイン方法",
  "account.methods.text": "どの方\u2060法でもこのアカウントにサインインできます。",
  "app.allow": "許可",
  "app.deny": "拒否",
  "app.heading": "{name}にサインインしますか？",
  "app.text": "{name}が{user}としてサインインしようとしています。",
  "app.title": "アプリにサインイン",
  "app.warning": "ご自身がアプリで操作を始めた場合にのみ許可してください。",
  "confirm.heading": "サインインの確認",
  "confirm.notice": "このリンクに心当たりがない場合は、このページを閉じてください。",
  "confirm.submit": "サインイン",
  "confirm.text": "{email} のアカウントでサインインします",
  "confirm.title": "サインインの確認",
  "credentials.code": "コード",
  "credentials.email": "メールアドレス",
  "credentials.password": "パスワード",
  "credentials.phone": "電話番号",
  "credentials.pin": "暗証番号",
  "credentials.submit": "サインイン",
  "credentials.username": "ユーザー名",
  "device.allowed": "デバイスでサインインしました。このページを閉じてもかまいません。",
  "device.code": "コード",
  "device.denied": "サインインを拒否しました。このページを閉じてもかまいません。",
  "device.submit": "続ける",
  "device.text": "デバイスに表示されているコードを入力してください。",
  "device.title": "デバイスでサインイン",
  "device.warning":
    "手元のデバイスにコード{code}が表示されている場合にのみ許可してください。コードが誰かから送られてきた場合は拒否してください。アカウントを使われるおそれがあります。",
  "email.code": "コード",
  "email.code.text": "または、メールに記載されたコードをここに入力してください。",
  "email.label": "メールアドレス",
  "email.placeholder": "name@example.com",
  "email.submit": "メールでリンクを受け取る",
  "email.submit.by": "メールでリンクを受け取る（{name}）",
  "error.ambiguous.again": "最初からやり直す",
  "error.ambiguous.heading": "2\u00a0つのアカウントが混在しています",
  "error.ambiguous.text":
    "ブラウザーから 2\u00a0つのアカウントのセッションが送信されたため、何も変更されませんでした。このサイトの Cookie を削除してから、もう一度サインインしてください。",
  "error.broken.again": "もう一度試す",
  "error.broken.heading": "サーバーエラー",
  "error.broken.text":
    "サーバー側で問題が発生しました。もう一度お試しください。解決しない場合は、サイトの管理者にお問い合わせください。",
  "error.check.again": "もう一度試す",
  "error.check.heading": "サインインできません",
  "error.check.text":
    "サインインの操作が期限切れか、すでに完了しているか、ブラウザーが Cookie をブロックしました。このサイトの Cookie を許可して、もう一度お試しください。",
  "error.credentials.again": "もう一度試す",
  "error.credentials.heading": "サインインできません",
  "error.credentials.text": "入力内容が正しくありません。確認して、もう一度お試しください。",
  "error.csrf.again": "もう一度試す",
  "error.csrf.heading": "ページの有効期限が切れました",
  "error.csrf.text":
    "開いたまま時間が経ちすぎたか、ブラウザーが Cookie をブロックしています。このサイトの Cookie を許可して、もう一度お試しください。",
  "error.denied.again": "別のアカウントでサインイン",
  "error.denied.heading": "アクセスが拒否されました",
  "error.denied.text":
    "このアカウントではサインインできません。別のアカウントを使うか、サイトの管理者にお問い合わせください。",
  "error.failed.again": "もう一度試す",
  "error.failed.heading": "サインインできません",
  "error.failed.text":
    "サインインがキャンセルされたか、完了しませんでした。もう一度試すか、別のサインイン方\u2060法をお使いください。",
  "error.fresh.again": "サインイン",
  "error.fresh.heading": "もう一度サインインしてください",
  "error.fresh.text":
    "アカウント保護のため、この変更を行う前にもう一度サインインしてください。何も変更されていません。",
  "error.large.again": "サインインに戻る",
  "error.large.heading": "サインインできませんでした",
  "error.large.text":
    "アカウントの情報が、ブラウザーの Cookie に保存できる量を超えています。サイトの管理者にお問い合わせください。",
  "error.link.again": "新しいリンクを受け取る",
  "error.link.heading": "このリンクは使用できません",
  "error.link.text":
    "サインイン用リンクは、有効期限内に一度だけ使用できます。サインインするには、新しいリンクを受け取ってください。",
  "error.passkey-taken.again": "サインイン",
  "error.passkey-taken.heading": "アカウントがすでに存在します",
  "error.passkey-taken.text":
    "このパスキーまたはメールアドレスのアカウントがすでに存在します。以前と同じ方\u2060法でサインインしてください。",
  "error.passkey.again": "もう一度試す",
  "error.passkey.heading": "サインインできません",
  "error.passkey.text":
    "パスキーを確認できませんでした。もう一度試すか、別のサインイン方\u2060法をお使いください。",
  "error.request.again": "最初からやり直す",
  "error.request.heading": "リクエストを処理できませんでした",
  "error.request.text": "リクエストに不備がありました。サインインページからやり直してください。",
  "error.required.again": "サインイン",
  "error.required.heading": "サインインしてください",
  "error.required.text":
    "サインインしていないか、セッションが終了しました。続けるにはサインインしてください。",
  "error.taken.again": "サインイン",
  "error.taken.heading": "アカウントがすでに存在します",
  "error.taken.text":
    "このメールアドレスまたはサインイン方\u2060法のアカウントがすでに存在します。以前と同じ方\u2060法でサインインしてください。",
  "error.title": "エラー",
  "error.unknown.again": "もう一度試す",
  "error.unknown.heading": "問題が発生しました",
  "error.unknown.text": "サインインを完了できませんでした。もう一度お試しください。",
  "error.unreachable.again": "別の方法を選ぶ",
  "error.unreachable.heading": "サービスに接続できません",
  "error.unreachable.text":
    "選択したサービスに接続できませんでした。しばらくしてからもう一度試すか、別のサインイン方\u2060法を選んでください。",
  "error.unsent.again": "もう一度試す",
  "error.unsent.heading": "メールを送信できません",
  "error.unsent.text":
    "メールを送信できませんでした。メールアドレスを確認して、もう一度お試しください。",
  "error.unverified.again": "サインインに戻る",
  "error.unverified.heading": "メールアドレスを確認してください",
  "error.unverified.text":
    "このサービスでは、まだメールアドレスが確認されていません。サービス側で確認してからもう一度サインインするか、別のサインイン方\u2060法を選んでください。",
  "factor.any": "アプリのコード、またはリカバリーコード",
  "factor.back": "戻る",
  "factor.cancel": "キャンセル",
  "factor.code": "アプリのコード",
  "factor.codes.heading": "リカバリーコード",
  "factor.codes.text":
    "スマートフォンをなくしたときは、各コードで 1\u00a0回ずつサインインできます。再び表示されることはないため、安全な場所に保管してください。",
  "factor.heading": "コードを入力",
  "factor.off": "サインインのたびに、スマートフォンのアプリのコードでアカウントを保護します。",
  "factor.on": {
    other: "有効です。未使用のリカバリーコードが {count}\u00a0個あります。",
  },
  "factor.recovery": "リカバリーコードを使う",
  "factor.recovery.code": "リカバリーコード",
  "factor.remove": "無効にする",
  "factor.renew": "新しいリカバリーコードを作成",
  "factor.renew.text": "現在のリカバリーコードは使えなくなります。",
  "factor.setup": "設定する",
  "factor.setup.heading": "2\u00a0段階認証を設定",
  "factor.setup.image": "認証アプリ用の QR コード",
  "factor.setup.key": "または、次のキーをアプリに入力してください。",
  "factor.setup.link": "このデバイスでアプリを開く",
  "factor.setup.required": "ここにサインインするには、認証アプリのコードも必要です。",
  "factor.setup.submit": "有効にする",
  "factor.setup.text":
    "スマートフォンの認証アプリでこの画像を読み取り、表示されたコードを入力してください。",
  "factor.submit": "続ける",
  "factor.text": "認証アプリを開き、{name} 用に表示されたコードを入力してください。",
  "factor.title": "2\u00a0段階認証",
  "failure.400": "リクエストを処理できませんでした。前のページに戻って、もう一度お試しください。",
  "failure.404": "お探しのページは見つかりませんでした。URL をご確認ください。",
  "failure.405": "この操作はここでは実行できません。サインインページからやり直してください。",
  "failure.500": "サーバー側で問題が発生しました。しばらくしてからもう一度お試しください。",
  "failure.absent": "ページが見つかりません",
  "failure.title": "問題が発生しました",
  "limited.title": "試行回数が多すぎます",
  "limited.wait": "試行回数が多すぎます。{duration}後にもう一度お試しください。",
  "link.home": "{host} へ移動",
  "link.signin": "サインイン",
  "mail.button": "サインイン",
  "mail.code":
    "または、リクエストしたページにこのコードを入力してください。ほかの場所には入力しないでください。有効期間：{duration}",
  "mail.fallback":
    "ボタンが動作しない場合は、次の URL をコピーしてブラウザーに貼り付けてください。",
  "mail.heading": "{host} へのサインイン",
  "mail.invitation": "サインインするには、次のリンクを開いてください。",
  "mail.notice":
    "このメールに心当たりがない場合は、無視してください。リンクを知っている人は誰でもあなたとしてサインインできるため、転送しないでください。",
  "mail.subject": "{host} へのサインイン",
  "mail.validity": "このリンクは 1\u00a0回だけ使用できます。有効期間：{duration}",
  "passkey.add": "パスキーを追加",
  "passkey.add.failed":
    "パスキーを追加できませんでした。このデバイスにすでにパスキーがあるか、操作がキャンセルされました。もう一度お試しください。",
  "passkey.added": "{date} に追加",
  "passkey.autofill": "メールアドレス",
  "passkey.email": "新しいアカウントのメールアドレス",
  "passkey.failed":
    "パスキーの操作に失敗したか、キャンセルされました。もう一度試すか、別のサインイン方\u2060法をお使いください。",
  "passkey.heading": "パスキー",
  "passkey.instead": "パスキーを使うには、JavaScript と対応ブラウザーが必要です。",
  "passkey.one": "パスキー {number}",
  "passkey.register": "パスキーで新規登録",
  "passkey.register.by": "{name} で新規登録",
  "passkey.remove": "削除",
  "passkey.remove.what": "パスキー {number} を削除",
  "passkey.signin": "パスキーでサインイン",
  "passkey.single": "1\u00a0台のデバイスのみ",
  "passkey.synced": "同期済み",
  "passkey.text": "パスワードの代わりに、指紋、顔、またはデバイスの PIN でサインインできます。",
  "signin.closed": "サインインはまだ利用できません。しばらくしてからもう一度お試しください。",
  "signin.error.ambiguous":
    "ブラウザーから 2\u00a0つのアカウントのセッションが送信されました。このサイトの Cookie を削除してから、もう一度サインインしてください。",
  "signin.error.broken":
    "現在、このサインイン方\u2060法は利用できません。別の方\u2060法を試すか、しばらくしてからもう一度お試しください。",
  "signin.error.check":
    "サインインの操作が期限切れか、すでに完了しているか、ブラウザーが Cookie をブロックしました。このサイトの Cookie を許可して、もう一度お試しください。",
  "signin.error.credentials":
    "サインインできませんでした。入力内容を確認して、もう一度お試しください。",
  "signin.error.csrf":
    "このページの有効期限が切れたか、ブラウザーが Cookie をブロックしています。このサイトの Cookie を許可して、もう一度お試しください。",
  "signin.error.denied":
    "このアカウントではサインインできません。別のアカウントを使うか、サイトの管理者にお問い合わせください。",
  "signin.error.device":
    "このコードは無効です。デバイスに現在表示されているコードを入力してください。各コードは1回だけ使えます。何度も間違えた場合は、15\u00a0分お待ちください。",
  "signin.error.email-code":
    "コードが間違っているか、期限切れです。最新のメールのコードを入力するか、新しいリンクを受け取ってください。",
  "signin.error.factor":
    "このコードは使えません。アプリに現在表示されているコードを入力してください。各コードは一度だけ使えます。何度も間違えた場合は、15\u00a0分お待ちください。",
  "signin.error.failed":
    "サインインがキャンセルされたか、完了しませんでした。もう一度試すか、別のサインイン方\u2060法をお使いください。",
  "signin.error.fresh":
    "アカウント保護のため、この変更を行う前にもう一度サインインしてください。まだ何も変更されていません。サインイン後は元のページに戻ります。",
  "signin.error.large":
    "アカウントの情報が、ブラウザーの Cookie に保存できる量を超えています。サイトの管理者にお問い合わせください。",
  "signin.error.limited": "試行回数が多すぎます。数分待ってから、もう一度お試しください。",
  "signin.error.link":
    "このリンクは期限切れか、すでに使用されています。新しいリンクを受け取ってください。",
  "signin.error.passkey":
    "パスキーを確認できませんでした。もう一度試すか、別のサインイン方\u2060法をお使いください。",
  "signin.error.passkey-taken":
    "このパスキーまたはメールアドレスのアカウントがすでに存在します。以前と同じ方\u2060法でサインインしてください。",
  "signin.error.request": "リクエストに不備がありました。もう一度お試しください。",
  "signin.error.required":
    "サインインしていないか、セッションが終了しました。続けるにはサインインしてください。",
  "signin.error.taken":
    "このメールアドレスのアカウントがすでに存在します。以前と同じ方\u2060法でサインインしてください。",
  "signin.error.unknown": "問題が発生しました。もう一度お試しください。",
  "signin.error.unreachable":
    "サービスに接続できませんでした。もう一度試すか、別のサインイン方\u2060法を選んでください。",
  "signin.error.unsent":
    "メールを送信できませんでした。メールアドレスを確認して、もう一度お試しください。",
  "signin.error.unverified":
    "このサービスでは、まだメールアドレスが確認されていません。サービス側で確認してからもう一度サインインするか、別のサインイン方\u2060法を選んでください。",
  "signin.heading": "サインイン",
  "signin.more": "ほかの方法を表示（{count}\u00a0件）",
  "signin.or": "または",
  "signin.title": "サインイン",
  "signin.with": "{name} でサインイン",
  "signout.heading": "サインアウトしますか？",
  "signout.stay": "サインインしたままにする",
  "signout.submit": "サインアウト",
  "signout.text": "いつでも再びサインインできます。",
  "signout.title": "サインアウト",
  "verify.again": "新しいリンクを受け取る",
  "verify.heading": "メールをご確認ください",
  "verify.hint":
    "届かない場合は、迷惑メールフォルダーを確認するか、新しいリンクを受け取ってください。",
  "verify.text":
    "サインイン用リンクをお送りしました。リンクを開いて続けてください。このページは閉じてもかまいません。",
  "verify.title": "メールをご確認ください",
};

/** Adds the Japanese texts of the pages and e-mails. */
export const japanesePlugin: () => Plugin = definePlugin(function japanesePlugin(): Plugin {
  return {
    name: "languages/ja",
    setup(kernel) {
      kernel.addLanguage({ tag: "ja", messages: MESSAGES });
    },
  };
});
