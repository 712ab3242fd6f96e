import { type DefineComponent, defineComponent } from "vue";
import { useAuth } from "./composables.ts";

/**
 * Renders its default slot with the session (`user`, `session`, `signedIn`, `signIn`, `signOut`), and the slot `placeholder`
 * while it is not known.
 */
export const authState: DefineComponent = defineComponent({
  name: "AuthState",
  setup(_, { slots }) {
    const { ready, signedIn, user, session, signIn, signOut } = useAuth();
    return () => {
      if (!ready.value) return slots.placeholder?.();
      const [isSignedIn, clear] = [signedIn.value, () => signOut({ redirect: false })];
      const shown = { user: user.value, session: session.value, signedIn: isSignedIn };
      return slots.default?.({ ...shown, signIn, signOut, loggedIn: isSignedIn, clear });
    };
  },
}) as DefineComponent;
