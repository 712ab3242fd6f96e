import { definePlugin, type Messages, type Plugin } from "../../src/index.ts";

const MESSAGES: Messages = {
  "account.done": "変更を保存しました。",
  "account.email": "メールのリンク",
  "account.failed": "うまくいきませんでした。変更はありません。もう一度お試しください。",
  "account.heading": "アカウント",
  "account.home": "{host} に戻る",
  "account.link": "{name} を連携",
  "account.more": "ほかの {count} 件を連携",
  "account.session": "セッション",
  "account.session.began": "{date} にサインイン",
  "account.session.end": "終了",
  "account.session.end.what": "{date} のセッションを終了",
  "account.session.ends": "使用しない場合、{date} に終了",
  "account.session.here": "このデバイス",
  "account.sessions": "セッション",
  "account.sessions.end": "ほかのすべてからサインアウト",
  "account.sessions.text": "サインイン中の場所です。心当たりのないものは終了してください。",
  "account.signout": "サインアウト",
  "account.title": "アカウント",
  "account.unlink": "削除",
  "account.unlink.what": "{name} を削除",
  "account.ways": "サインイン方法",
  "account.ways.text": "どの方法でもこのアカウントにサインインできます。",
  "confirm.heading": "サインイン",
  "confirm.notice": "このリンクに心当たりがない場合は、このページを閉じてください。",
  "confirm.submit": "サインイン",
  "confirm.text": "{email} として続けます。",
  "confirm.title": "サインイン",
  "email.label": "メールアドレス",
  "email.placeholder": "email@example.com",
  "email.submit": "サインイン用リンクをメールで受け取る",
  "email.submit.by": "サインイン用リンクをメールで受け取る（{name}）",
  "error.broken.again": "もう一度試す",
  "error.broken.heading": "サーバーエラー",
  "error.broken.text":
    "こちら側の問題でサインインに失敗しました。エラーは記録されています。もう一度お試しください。繰り返す場合は、サイトの運営者にお知らせください。",
  "error.check.again": "もう一度試す",
  "error.check.heading": "サインインできません",
  "error.check.text": "サインインに時間がかかりすぎたか、Cookie が失われました。",
  "error.credentials.again": "もう一度試す",
  "error.credentials.heading": "サインインできません",
  "error.credentials.text": "入力内容を確認してください。",
  "error.csrf.again": "もう一度試す",
  "error.csrf.heading": "もう一度お試しください",
  "error.csrf.text":
    "ページを開いたまま時間が経ちすぎたか、ブラウザーが Cookie をブロックしています。",
  "error.denied.again": "別のアカウントでサインイン",
  "error.denied.heading": "アクセスが拒否されました",
  "error.denied.text": "サインインする権限がありません。",
  "error.failed.again": "もう一度試す",
  "error.failed.heading": "サインインできません",
  "error.failed.text": "サインインが完了しなかったか、キャンセルされました。",
  "error.link.again": "新しいリンクを受け取る",
  "error.link.heading": "サインインできません",
  "error.link.text": "サインイン用リンクは無効です。すでに使われたか、期限が切れています。",
  "error.passkey.again": "もう一度試す",
  "error.passkey.heading": "サインインできません",
  "error.passkey.text": "パスキーを確認できませんでした。",
  "error.request.again": "最初からやり直す",
  "error.request.heading": "うまくいきませんでした",
  "error.request.text": "リクエストに問題がありました。",
  "error.taken.again": "サインイン",
  "error.taken.heading": "アカウントはすでに存在します",
  "error.taken.text":
    "使用したサインイン方法は、別のアカウントのものです。以前と同じ方法でサインインしてください。",
  "error.title": "エラー",
  "error.unknown.again": "もう一度試す",
  "error.unknown.heading": "問題が発生しました",
  "error.unknown.text": "サインインを完了できませんでした。",
  "error.unreachable.again": "別の方法を選ぶ",
  "error.unreachable.heading": "サインインできません",
  "error.unreachable.text": "選択したサービスに現在接続できません。",
  "error.unsent.again": "もう一度試す",
  "error.unsent.heading": "メールを送信できません",
  "error.unsent.text":
    "メールを送信できませんでした。アドレスを確認するか、しばらくしてからもう一度お試しください。",
  "failure.400": "リクエストを理解できませんでした。前のページに戻って、もう一度お試しください。",
  "failure.404": "ここには何もありません。アドレスに誤りがないかご確認ください。",
  "failure.405": "この方法では実行できません。サインインページからやり直してください。",
  "failure.500":
    "サーバーで問題が発生しました。詳細はサーバーのログに記録されています。しばらくしてからもう一度お試しください。",
  "failure.absent": "見つかりません",
  "failure.title": "エラー",
  "link.home": "{host} へ移動",
  "link.signin": "サインイン",
  "mail.button": "サインイン",
  "mail.fallback": "ボタンが動作しない場合は、次のアドレスをブラウザーにコピーしてください。",
  "mail.heading": "{host} へのサインイン",
  "mail.invitation": "サインインするには、次のリンクを開いてください。",
  "mail.notice":
    "このメールに心当たりがない場合は、無視してかまいません。リンクがなければ誰もサインインできません。他の人に転送しないでください。",
  "mail.subject": "{host} へのサインイン",
  "mail.validity": "リンクは {duration} 以内に一度だけ使えます。",
  "passkey.add": "パスキーを追加",
  "passkey.failed": "うまくいきませんでした。もう一度試すか、別の方法でサインインしてください。",
  "passkey.heading": "パスキー",
  "passkey.instead": "パスキーには、対応したブラウザーと JavaScript が必要です。",
  "passkey.one": "パスキー {number}",
  "passkey.register": "{name} で登録",
  "passkey.remove": "削除",
  "passkey.remove.what": "パスキー {number} を削除",
  "passkey.single": "1 台のデバイスのみ",
  "passkey.synced": "複数のデバイスに保存",
  "passkey.text": "パスワードの代わりに、指紋、顔、または PIN を使います。",
  "signin.closed": "まだサインインできません。後ほどお越しください。",
  "signin.error.broken":
    "現在、このサインイン方法は利用できません。別の方法を試すか、後ほどお越しください。",
  "signin.error.check":
    "サインインに時間がかかりすぎたか、Cookie が失われました。もう一度お試しください。",
  "signin.error.credentials":
    "サインインできませんでした。入力内容を確認して、もう一度お試しください。",
  "signin.error.csrf":
    "このページを開いたまま時間が経ちすぎたか、ブラウザーが Cookie をブロックしています。もう一度お試しください。",
  "signin.error.denied":
    "サインインする権限がありません。別のアカウントを使うか、サイトの運営者にお問い合わせください。",
  "signin.error.failed":
    "サインインが完了しませんでした。もう一度試すか、別のアカウントをお使いください。",
  "signin.error.link":
    "サインイン用リンクは無効です。すでに使われたか、期限が切れています。新しいリンクをお求めください。",
  "signin.error.passkey": "パスキーを確認できませんでした。もう一度お試しください。",
  "signin.error.passkey-taken":
    "このパスキーまたはアドレスは、すでに別のアカウントで使われています。以前と同じ方法でサインインしてください。",
  "signin.error.request": "リクエストに問題がありました。もう一度お試しください。",
  "signin.error.taken":
    "このアドレスはすでにアカウントに登録されています。以前と同じ方法でサインインしてください。",
  "signin.error.unknown": "問題が発生しました。もう一度お試しください。",
  "signin.error.unreachable":
    "選択したサービスに接続できません。もう一度試すか、別のサービスを選んでください。",
  "signin.error.unsent":
    "メールを送信できませんでした。アドレスを確認するか、しばらくしてからもう一度お試しください。",
  "signin.heading": "サインイン",
  "signin.more": "ほかの {count} 件の方法",
  "signin.or": "または",
  "signin.required": "このページを表示するにはサインインしてください。",
  "signin.title": "サインイン",
  "signin.with": "{name} でサインイン",
  "signout.heading": "サインアウトしますか？",
  "signout.stay": "サインインしたままにする",
  "signout.submit": "サインアウト",
  "signout.text": "いつでも再びサインインできます。",
  "signout.title": "サインアウト",
  "verify.again": "別のリンクを受け取る",
  "verify.heading": "メールをご確認ください",
  "verify.hint":
    "数分待っても届かない場合は、迷惑メールフォルダーを確認するか、もう一度お求めください。",
  "verify.text": "サインイン用リンクをお送りしました。このページは閉じてかまいません。",
  "verify.title": "リクエストの確認",
};

/** Pages and mails in Japanese. */
export function japanesePlugin(): Plugin {
  return definePlugin({
    name: "languages/ja",
    setup(kernel) {
      kernel.addLanguage({ tag: "ja", messages: MESSAGES });
    },
  });
}

export default japanesePlugin;
