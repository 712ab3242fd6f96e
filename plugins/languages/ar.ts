import { definePlugin, type Messages, type Plugin } from "../../src/index.ts";

const MESSAGES: Messages = {
  "confirm.heading": "تسجيل الدخول",
  "confirm.notice": "إذا لم تطلب هذا الرابط فأغلق هذه الصفحة.",
  "confirm.submit": "تسجيل الدخول",
  "confirm.text": "المتابعة باسم {email}.",
  "confirm.title": "تسجيل الدخول",
  "email.label": "البريد الإلكتروني",
  "email.placeholder": "email@example.com",
  "email.submit": "أرسل لي رابطًا لتسجيل الدخول",
  "email.submit.by": "أرسل لي رابطًا لتسجيل الدخول ({name})",
  "error.broken.again": "حاول مرة أخرى",
  "error.broken.heading": "خطأ في الخادم",
  "error.broken.text":
    "فشل تسجيل الدخول من جهتنا، وسُجّل الخطأ. حاول مرة أخرى. وإذا تكرّر ذلك فأخبر القائمين على الموقع.",
  "error.check.again": "حاول مرة أخرى",
  "error.check.heading": "تعذّر تسجيل الدخول",
  "error.check.text": "استغرق تسجيل الدخول وقتًا طويلًا، أو فُقدت ملفات تعريف الارتباط.",
  "error.credentials.again": "حاول مرة أخرى",
  "error.credentials.heading": "تعذّر تسجيل الدخول",
  "error.credentials.text": "تحقّق مما أدخلته.",
  "error.csrf.again": "حاول مرة أخرى",
  "error.csrf.heading": "يُرجى المحاولة مجددًا",
  "error.csrf.text": "ظلّت الصفحة مفتوحة طويلًا، أو أن متصفحك يحظر ملفات تعريف الارتباط.",
  "error.denied.again": "تسجيل الدخول بحساب آخر",
  "error.denied.heading": "الوصول مرفوض",
  "error.denied.text": "ليس لديك إذن بتسجيل الدخول.",
  "error.failed.again": "حاول مرة أخرى",
  "error.failed.heading": "تعذّر تسجيل الدخول",
  "error.failed.text": "لم يكتمل تسجيل الدخول أو أُلغي.",
  "error.link.again": "طلب رابط جديد",
  "error.link.heading": "تعذّر تسجيل الدخول",
  "error.link.text": "رابط تسجيل الدخول لم يعد صالحًا: استُخدم من قبل أو انتهت مدته.",
  "error.passkey.again": "حاول مرة أخرى",
  "error.passkey.heading": "تعذّر تسجيل الدخول",
  "error.passkey.text": "تعذّر التحقق من مفتاح المرور.",
  "error.request.again": "البدء من جديد",
  "error.request.heading": "لم ينجح ذلك",
  "error.request.text": "كان هناك خطأ في الطلب.",
  "error.taken.again": "تسجيل الدخول",
  "error.taken.heading": "الحساب موجود بالفعل",
  "error.taken.text":
    "ما سجّلت الدخول به مرتبط بحساب آخر. سجّل الدخول بالطريقة التي استخدمتها من قبل.",
  "error.title": "خطأ",
  "error.unknown.again": "حاول مرة أخرى",
  "error.unknown.heading": "حدث خطأ ما",
  "error.unknown.text": "تعذّر إكمال تسجيل الدخول.",
  "error.unreachable.again": "اختيار طريقة أخرى",
  "error.unreachable.heading": "تعذّر تسجيل الدخول",
  "error.unreachable.text": "تعذّر الوصول إلى الخدمة التي اخترتها حاليًا.",
  "error.unsent.again": "حاول مرة أخرى",
  "error.unsent.heading": "لم تُرسل الرسالة",
  "error.unsent.text": "تعذّر إرسال الرسالة. تحقّق من العنوان أو حاول لاحقًا.",
  "failure.400": "تعذّر فهم الطلب. ارجع وحاول مرة أخرى.",
  "failure.404": "لا يوجد شيء هنا. ربما كُتب العنوان خطأً.",
  "failure.405": "لا يمكن فعل ذلك هنا بهذه الطريقة. ابدأ من جديد من صفحة تسجيل الدخول.",
  "failure.500": "حدث خطأ في هذا الخادم، والتفاصيل في سجلّه. حاول مرة أخرى لاحقًا.",
  "failure.absent": "غير موجود",
  "failure.title": "خطأ",
  "link.home": "الذهاب إلى {host}",
  "link.signin": "تسجيل الدخول",
  "mail.button": "تسجيل الدخول",
  "mail.fallback": "إذا لم يعمل الزر فانسخ هذا العنوان إلى متصفحك:",
  "mail.heading": "تسجيل الدخول إلى {host}",
  "mail.invitation": "افتح هذا الرابط لتسجيل الدخول:",
  "mail.notice":
    "إذا لم تطلب هذه الرسالة فيمكنك تجاهلها. لا يستطيع أحد تسجيل الدخول من دون الرابط، فلا تشاركه مع أحد.",
  "mail.subject": "تسجيل الدخول إلى {host}",
  "mail.validity": "يعمل الرابط مرة واحدة، لمدة {duration}.",
  "signin.closed": "لا يمكن لأحد تسجيل الدخول هنا بعد. يُرجى العودة لاحقًا.",
  "signin.error.broken": "طريقة تسجيل الدخول هذه لا تعمل حاليًا. جرّب طريقة أخرى أو عُد لاحقًا.",
  "signin.error.check":
    "استغرق تسجيل الدخول وقتًا طويلًا، أو فُقدت ملفات تعريف الارتباط. حاول مرة أخرى.",
  "signin.error.credentials": "فشل تسجيل الدخول. تحقّق مما أدخلته وحاول مرة أخرى.",
  "signin.error.csrf":
    "ظلّت هذه الصفحة مفتوحة طويلًا، أو أن متصفحك يحظر ملفات تعريف الارتباط. حاول مرة أخرى.",
  "signin.error.denied":
    "ليس لديك إذن بتسجيل الدخول. استخدم حسابًا آخر أو تواصل مع القائمين على الموقع.",
  "signin.error.failed": "لم يكتمل تسجيل الدخول. حاول مرة أخرى أو استخدم حسابًا آخر.",
  "signin.error.link":
    "رابط تسجيل الدخول لم يعد صالحًا: استُخدم من قبل أو انتهت مدته. اطلب رابطًا جديدًا.",
  "signin.error.passkey": "تعذّر التحقق من مفتاح المرور. حاول مرة أخرى.",
  "signin.error.passkey-taken":
    "مفتاح المرور هذا أو عنوانه مرتبط بحساب بالفعل. سجّل الدخول بالطريقة التي استخدمتها من قبل.",
  "signin.error.request": "كان هناك خطأ في الطلب. حاول مرة أخرى.",
  "signin.error.taken": "عنوانك مرتبط بحساب بالفعل. سجّل الدخول بالطريقة التي استخدمتها من قبل.",
  "signin.error.unknown": "حدث خطأ ما. حاول مرة أخرى.",
  "signin.error.unreachable":
    "تعذّر الوصول إلى الخدمة التي اخترتها. حاول مرة أخرى أو اختر خدمة أخرى.",
  "signin.error.unsent": "تعذّر إرسال الرسالة. تحقّق من العنوان أو حاول لاحقًا.",
  "signin.heading": "تسجيل الدخول",
  "signin.more": "طرق أخرى لتسجيل الدخول ({count})",
  "signin.or": "أو",
  "signin.required": "سجّل الدخول لعرض هذه الصفحة.",
  "signin.title": "تسجيل الدخول",
  "signin.with": "تسجيل الدخول باستخدام {name}",
  "signout.heading": "هل تريد تسجيل الخروج؟",
  "signout.stay": "البقاء مسجّلًا",
  "signout.submit": "تسجيل الخروج",
  "signout.text": "يمكنك تسجيل الدخول مجددًا في أي وقت.",
  "signout.title": "تسجيل الخروج",
  "verify.again": "طلب رابط آخر",
  "verify.heading": "تحقّق من بريدك",
  "verify.hint":
    "لم يصل شيء بعد بضع دقائق؟ ابحث في مجلد الرسائل غير المرغوب فيها أو اطلب الرابط مجددًا.",
  "verify.text": "رابط تسجيل الدخول في طريقه إليك. يمكنك إغلاق هذه الصفحة.",
  "verify.title": "تأكيد الطلب",
};

/** Pages and mails in Arabic. */
export function arabicPlugin(): Plugin {
  return definePlugin({
    name: "languages/ar",
    setup(kernel) {
      kernel.addLanguage({ tag: "ar", direction: "rtl", messages: MESSAGES });
    },
  });
}

export default arabicPlugin;
