import { definePlugin, type Messages, type Plugin } from "../../src/kernel.ts";

const MESSAGES: Messages = {
  "account.connect": "다른 계정 연결",
  "account.done": "변경사항을 저장했습니다",
  "account.email": "이메일 링크",
  "account.error.check":
    "이 작업은 만료되었거나 이미 완료되었습니다. 변경된 내용은 없으며 로그인 상태가 유지됩니다.",
  "account.error.denied":
    "이 사이트에서 사용할 수 없는 계정입니다. 변경된 내용은 없습니다. 다른 계정을 사용하거나 사이트 관리자에게 문의하세요.",
  "account.error.failed":
    "작업이 취소되었거나 완료되지 않았습니다. 변경된 내용은 없습니다. 다시 시도해 주세요.",
  "account.error.link":
    "이 로그인 링크는 만료되었거나 이미 사용되었습니다. 이미 로그인되어 있으므로 새 링크가 필요하지 않습니다.",
  "account.error.passkey":
    "패스키를 확인하지 못했습니다. 변경된 내용은 없습니다. 다시 시도해 주세요.",
  "account.error.passkey-taken":
    "이 패스키는 현재 계정이나 다른 계정에서 이미 사용 중입니다. 변경된 내용은 없습니다. 이 패스키로 로그인하려면 먼저 로그아웃하세요.",
  "account.error.required":
    "지금은 다른 계정으로 로그인되어 있습니다. 변경된 내용은 없습니다. 사용할 계정을 확인한 후 다시 시도해 주세요.",
  "account.error.taken":
    "이 계정 또는 계정의 이메일은 이미 다른 사용자가 사용하고 있습니다. 변경된 내용은 없습니다. 다른 계정으로 시도해 주세요.",
  "account.error.unreachable":
    "서비스에 연결하지 못했습니다. 변경된 내용은 없습니다. 나중에 다시 시도해 주세요.",
  "account.failed": "문제가 발생하여 변경되지 않았습니다. 다시 시도해 주세요.",
  "account.heading": "내 계정",
  "account.home": "{host} 사이트로 돌아가기",
  "account.last": "유일한 로그인 방법입니다. 삭제하기 전에 다른 방법을 추가하세요.",
  "account.link": "{name} 연결",
  "account.more": "다른 계정 연결({count}개)",
  "account.only": "유일한 로그인 방법",
  "account.session": "세션",
  "account.session.began": "로그인: {date}",
  "account.session.end": "로그아웃",
  "account.session.end.what": "로그아웃: {date} 세션",
  "account.session.ends": "사용하지 않으면 만료: {date}",
  "account.session.here": "현재 브라우저",
  "account.sessions": "활성 세션",
  "account.sessions.end": "다른 세션에서 로그아웃",
  "account.sessions.more": "이전 세션",
  "account.sessions.text": "로그인되어 있는 곳입니다. 모르는 세션은 로그아웃하세요.",
  "account.signout": "로그아웃",
  "account.title": "계정",
  "account.unlink": "연결 해제",
  "account.unlink.what": "연결 해제: {name}",
  "account.methods": "로그인 방법",
  "account.methods.text": "다음 중 어떤 방법으로도 로그인할 수 있습니다.",
  "app.allow": "허용",
  "app.deny": "거부",
  "app.heading": "{name}에 로그인할까요?",
  "app.text": "{name}에서 {user}(으)로 로그인하려고 합니다.",
  "app.title": "앱에 로그인",
  "app.warning": "방금 앱에서 직접 시작한 경우에만 허용하세요.",
  "confirm.heading": "로그인 확인",
  "confirm.notice": "직접 요청한 링크가 아니라면 이 페이지를 닫으세요.",
  "confirm.submit": "로그인",
  "confirm.text": "로그인할 계정: {email}",
  "confirm.title": "로그인 확인",
  "credentials.code": "인증 코드",
  "credentials.email": "이메일",
  "credentials.password": "비밀번호",
  "credentials.phone": "전화번호",
  "credentials.pin": "PIN 번호",
  "credentials.submit": "로그인",
  "credentials.username": "사용자 이름",
  "device.allowed": "기기에서 로그인되었습니다. 이 페이지를 닫아도 됩니다.",
  "device.code": "코드",
  "device.denied": "로그인을 거부했습니다. 이 페이지를 닫아도 됩니다.",
  "device.submit": "계속",
  "device.text": "기기에 표시된 코드를 입력하세요.",
  "device.title": "기기에서 로그인",
  "device.warning":
    "앞에 있는 기기에 {code} 코드가 표시된 경우에만 허용하세요. 누군가 코드를 보냈다면 거부하세요. 그 사람이 내 계정을 사용할 수 있습니다.",
  "email.code": "코드",
  "email.code.text": "또는 이메일에 있는 코드를 여기에 입력하세요.",
  "email.label": "이메일",
  "email.placeholder": "name@example.com",
  "email.submit": "이메일로 로그인 링크 받기",
  "email.submit.by": "이메일로 로그인 링크 받기({name})",
  "error.ambiguous.again": "처음부터 다시 시작",
  "error.ambiguous.heading": "두 계정이 동시에 사용됨",
  "error.ambiguous.text":
    "브라우저가 두 계정의 세션을 보내서 아무것도 변경되지 않았습니다. 이 사이트의 쿠키를 삭제한 후 다시 로그인하세요.",
  "error.broken.again": "다시 시도",
  "error.broken.heading": "서버 오류",
  "error.broken.text":
    "서버에 문제가 발생했습니다. 다시 시도해 주세요. 문제가 계속되면 사이트 관리자에게 문의하세요.",
  "error.check.again": "다시 시도",
  "error.check.heading": "로그인할 수 없음",
  "error.check.text":
    "로그인 시도가 만료되었거나 이미 완료되었거나, 브라우저에서 쿠키를 차단했습니다. 이 사이트의 쿠키를 허용한 후 다시 시도해 주세요.",
  "error.credentials.again": "다시 시도",
  "error.credentials.heading": "로그인할 수 없음",
  "error.credentials.text": "입력한 정보가 올바르지 않습니다. 확인한 후 다시 시도해 주세요.",
  "error.csrf.again": "다시 시도",
  "error.csrf.heading": "페이지가 만료됨",
  "error.csrf.text":
    "페이지가 너무 오래 열려 있었거나 브라우저에서 쿠키를 차단하고 있습니다. 이 사이트의 쿠키를 허용한 후 다시 시도해 주세요.",
  "error.denied.again": "다른 계정 사용",
  "error.denied.heading": "액세스 거부됨",
  "error.denied.text":
    "이 계정으로는 로그인할 수 없습니다. 다른 계정을 사용하거나 사이트 관리자에게 문의하세요.",
  "error.failed.again": "다시 시도",
  "error.failed.heading": "로그인할 수 없음",
  "error.failed.text":
    "로그인이 취소되었거나 완료되지 않았습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.",
  "error.fresh.again": "로그인",
  "error.fresh.heading": "다시 로그인하세요",
  "error.fresh.text": "계정 보호를 위해 변경하기 전에 다시 로그인하세요. 변경된 내용은 없습니다.",
  "error.large.again": "로그인으로 돌아가기",
  "error.large.heading": "로그인하지 못했습니다",
  "error.large.text":
    "계정 정보가 브라우저 쿠키에 저장할 수 있는 양을 초과했습니다. 사이트 관리자에게 문의하세요.",
  "error.link.again": "새 링크 요청",
  "error.link.heading": "더 이상 사용할 수 없는 링크",
  "error.link.text":
    "로그인 링크는 한 번만 사용할 수 있으며 일정 시간이 지나면 만료됩니다. 로그인하려면 새 링크를 요청하세요.",
  "error.passkey-taken.again": "로그인",
  "error.passkey-taken.heading": "이미 있는 계정",
  "error.passkey-taken.text":
    "이 패스키 또는 이메일을 사용하는 계정이 이미 있습니다. 이전에 사용한 방법으로 로그인하세요.",
  "error.passkey.again": "다시 시도",
  "error.passkey.heading": "로그인할 수 없음",
  "error.passkey.text":
    "패스키를 확인하지 못했습니다. 다시 시도하거나 다른 로그인 방법을 사용하세요.",
  "error.request.again": "처음부터 다시 시작",
  "error.request.heading": "요청을 처리하지 못했습니다",
  "error.request.text": "요청이 불완전하거나 올바르지 않습니다. 로그인 페이지에서 다시 시작하세요.",
  "error.required.again": "로그인",
  "error.required.heading": "계속하려면 로그인하세요",
  "error.required.text": "로그인하지 않았거나 세션이 종료되었습니다. 계속하려면 로그인하세요.",
  "error.taken.again": "로그인",
  "error.taken.heading": "이미 있는 계정",
  "error.taken.text":
    "이 이메일 또는 로그인 방법을 사용하는 계정이 이미 있습니다. 이전에 사용한 방법으로 로그인하세요.",
  "error.title": "오류",
  "error.unknown.again": "다시 시도",
  "error.unknown.heading": "문제가 발생했습니다",
  "error.unknown.text": "로그인을 완료하지 못했습니다. 다시 시도해 주세요.",
  "error.unreachable.again": "다른 방법 선택",
  "error.unreachable.heading": "서비스를 사용할 수 없음",
  "error.unreachable.text":
    "선택한 서비스에 연결하지 못했습니다. 잠시 후 다시 시도하거나 다른 로그인 방법을 선택하세요.",
  "error.unsent.again": "다시 시도",
  "error.unsent.heading": "이메일을 보내지 못함",
  "error.unsent.text": "이메일을 보내지 못했습니다. 주소를 확인한 후 다시 시도해 주세요.",
  "error.unverified.again": "로그인으로 돌아가기",
  "error.unverified.heading": "이메일 주소를 인증하세요",
  "error.unverified.text":
    "이 서비스에서 이메일 주소가 아직 인증되지 않았습니다. 해당 서비스에서 인증한 후 다시 로그인하거나 다른 로그인 방법을 선택하세요.",
  "factor.any": "앱의 코드 또는 복구 코드",
  "factor.back": "뒤로",
  "factor.cancel": "취소",
  "factor.code": "앱의 코드",
  "factor.codes.heading": "복구 코드",
  "factor.codes.text":
    "휴대전화를 분실하면 각 코드로 한 번씩 로그인할 수 있습니다. 다시 표시되지 않으니 안전한 곳에 보관하세요.",
  "factor.heading": "코드 입력",
  "factor.off": "로그인할 때마다 휴대전화 앱의 코드로 계정을 보호하세요.",
  "factor.on": {
    other: "사용 중입니다. 사용하지 않은 복구 코드가 {count}개 있습니다.",
  },
  "factor.recovery": "복구 코드 사용",
  "factor.recovery.code": "복구 코드",
  "factor.remove": "사용 중지",
  "factor.renew": "새 복구 코드 만들기",
  "factor.renew.text": "현재 복구 코드는 더 이상 사용할 수 없게 됩니다.",
  "factor.setup": "설정",
  "factor.setup.heading": "2단계 인증 설정",
  "factor.setup.image": "인증 앱용 QR 코드",
  "factor.setup.key": "또는 앱에 다음 키를 입력하세요.",
  "factor.setup.link": "이 기기에서 앱 열기",
  "factor.setup.required": "여기에 로그인하려면 인증 앱의 코드도 필요합니다.",
  "factor.setup.submit": "사용",
  "factor.setup.text":
    "휴대전화의 인증 앱으로 이 이미지를 스캔한 후 앱에 표시된 코드를 입력하세요.",
  "factor.submit": "계속",
  "factor.text": "인증 앱을 열고 {name} 항목에 표시된 코드를 입력하세요.",
  "factor.title": "2단계 인증",
  "failure.400": "요청을 처리하지 못했습니다. 이전 페이지로 돌아가 다시 시도해 주세요.",
  "failure.404": "존재하지 않는 페이지입니다. 주소를 확인해 주세요.",
  "failure.405": "여기에서는 할 수 없는 작업입니다. 로그인 페이지에서 다시 시작하세요.",
  "failure.500": "서버에 문제가 발생했습니다. 나중에 다시 시도해 주세요.",
  "failure.absent": "페이지를 찾을 수 없음",
  "failure.title": "문제가 발생했습니다",
  "limited.title": "시도 횟수 초과",
  "limited.wait": "시도 횟수가 너무 많습니다. {duration} 후에 다시 시도해 주세요.",
  "link.home": "{host} 사이트로 이동",
  "link.signin": "로그인",
  "mail.button": "로그인",
  "mail.code":
    "또는 요청한 페이지에 이 코드를 입력하세요. 다른 곳에는 입력하지 마세요. 유효 기간: {duration}",
  "mail.fallback": "버튼이 작동하지 않으면 다음 링크를 브라우저에 붙여넣으세요.",
  "mail.heading": "{host} 로그인",
  "mail.invitation": "로그인하려면 다음 링크를 여세요.",
  "mail.notice":
    "직접 요청한 이메일이 아니라면 무시하셔도 됩니다. 이 링크가 있으면 누구나 회원님의 계정으로 로그인할 수 있으므로 전달하지 마세요.",
  "mail.subject": "{host} 로그인",
  "mail.validity": "이 링크는 한 번만 사용할 수 있습니다. 유효 기간: {duration}",
  "passkey.add": "패스키 추가",
  "passkey.add.failed":
    "패스키를 추가하지 못했습니다. 이 기기에 이미 패스키가 있거나 요청이 취소되었을 수 있습니다. 다시 시도해 주세요.",
  "passkey.added": "추가: {date}",
  "passkey.autofill": "이메일",
  "passkey.email": "새 계정의 이메일",
  "passkey.failed":
    "패스키 요청이 실패했거나 취소되었습니다. 다시 시도하거나 다른 로그인 방법을 사용하세요.",
  "passkey.heading": "패스키",
  "passkey.instead": "패스키를 사용하려면 JavaScript와 이를 지원하는 브라우저가 필요합니다.",
  "passkey.one": "패스키 {number}",
  "passkey.register": "패스키로 가입",
  "passkey.register.by": "{name} 사용하여 가입",
  "passkey.remove": "삭제",
  "passkey.remove.what": "패스키 {number} 삭제",
  "passkey.signin": "패스키로 로그인",
  "passkey.single": "한 기기에만 있음",
  "passkey.synced": "동기화됨",
  "passkey.text": "비밀번호 대신 지문, 얼굴 또는 기기 PIN으로 로그인하세요.",
  "signin.closed": "아직 로그인할 수 없습니다. 나중에 다시 시도해 주세요.",
  "signin.error.ambiguous":
    "브라우저가 두 계정의 세션을 보냈습니다. 이 사이트의 쿠키를 삭제한 후 다시 로그인하세요.",
  "signin.error.broken":
    "현재 이 로그인 방법을 사용할 수 없습니다. 다른 방법을 선택하거나 나중에 다시 시도해 주세요.",
  "signin.error.check":
    "로그인 시도가 만료되었거나 이미 완료되었거나, 브라우저에서 쿠키를 차단했습니다. 이 사이트의 쿠키를 허용한 후 다시 시도해 주세요.",
  "signin.error.credentials": "로그인하지 못했습니다. 입력한 정보를 확인한 후 다시 시도해 주세요.",
  "signin.error.csrf":
    "페이지가 만료되었거나 브라우저에서 쿠키를 차단하고 있습니다. 이 사이트의 쿠키를 허용한 후 다시 시도해 주세요.",
  "signin.error.denied":
    "이 계정으로는 로그인할 수 없습니다. 다른 계정을 사용하거나 사이트 관리자에게 문의하세요.",
  "signin.error.device":
    "코드가 올바르지 않습니다. 지금 기기에 표시된 코드를 입력하세요. 각 코드는 한 번만 사용할 수 있습니다. 여러 번 틀렸다면 15분 동안 기다리세요.",
  "signin.error.email-code":
    "코드가 올바르지 않거나 만료되었습니다. 가장 최근 이메일의 코드를 입력하거나 새 링크를 요청하세요.",
  "signin.error.factor":
    "올바르지 않은 코드입니다. 앱에 지금 표시된 코드를 입력하세요. 각 코드는 한 번만 사용할 수 있습니다. 여러 번 틀렸다면 15분 동안 기다려 주세요.",
  "signin.error.failed":
    "로그인이 취소되었거나 완료되지 않았습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.",
  "signin.error.fresh":
    "계정 보호를 위해 변경하기 전에 다시 로그인하세요. 아직 변경된 내용은 없으며, 로그인하면 원래 페이지로 돌아갑니다.",
  "signin.error.large":
    "계정 정보가 브라우저 쿠키에 저장할 수 있는 양을 초과했습니다. 사이트 관리자에게 문의하세요.",
  "signin.error.limited": "시도 횟수가 너무 많습니다. 몇 분 후에 다시 시도해 주세요.",
  "signin.error.link": "이 로그인 링크는 만료되었거나 이미 사용되었습니다. 새 링크를 요청하세요.",
  "signin.error.passkey":
    "패스키를 확인하지 못했습니다. 다시 시도하거나 다른 로그인 방법을 사용하세요.",
  "signin.error.passkey-taken":
    "이 패스키 또는 이메일을 사용하는 계정이 이미 있습니다. 이전에 사용한 방법으로 로그인하세요.",
  "signin.error.request": "요청이 불완전하거나 올바르지 않습니다. 다시 시도해 주세요.",
  "signin.error.required": "로그인하지 않았거나 세션이 종료되었습니다. 계속하려면 로그인하세요.",
  "signin.error.taken":
    "이 이메일을 사용하는 계정이 이미 있습니다. 이전에 사용한 방법으로 로그인하세요.",
  "signin.error.unknown": "문제가 발생했습니다. 다시 시도해 주세요.",
  "signin.error.unreachable":
    "서비스에 연결하지 못했습니다. 다시 시도하거나 다른 로그인 방법을 선택하세요.",
  "signin.error.unsent": "이메일을 보내지 못했습니다. 주소를 확인한 후 다시 시도해 주세요.",
  "signin.error.unverified":
    "이 서비스에서 이메일 주소가 아직 인증되지 않았습니다. 해당 서비스에서 인증한 후 다시 로그인하거나 다른 로그인 방법을 선택하세요.",
  "signin.heading": "로그인",
  "signin.more": "{count}개 더 보기",
  "signin.or": "또는",
  "signin.title": "로그인",
  "signin.with": "{name} 계정으로 로그인",
  "signout.heading": "로그아웃하시겠어요?",
  "signout.stay": "로그인 유지",
  "signout.submit": "로그아웃",
  "signout.text": "언제든지 다시 로그인할 수 있습니다.",
  "signout.title": "로그아웃",
  "verify.again": "새 링크 요청",
  "verify.heading": "이메일을 확인하세요",
  "verify.hint": "이메일을 받지 못하셨나요? 스팸함을 확인하거나 새 링크를 요청하세요.",
  "verify.text": "로그인 링크를 보냈습니다. 링크를 열어 계속하세요. 이 페이지는 닫아도 됩니다.",
  "verify.title": "이메일을 확인하세요",
};

/** Adds the Korean texts of the pages and e-mails. */
export const koreanPlugin: () => Plugin = definePlugin(function koreanPlugin(): Plugin {
  return {
    name: "languages/ko",
    setup(kernel) {
      kernel.addLanguage({ tag: "ko", messages: MESSAGES });
    },
  };
});
