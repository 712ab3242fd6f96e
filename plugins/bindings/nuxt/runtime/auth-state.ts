import { defineComponent, type DefineSetupFnComponent, type SlotsType } from "vue";
import type { AuthClient, Session, SignOutResult, User } from "../../../../src/client.ts";
import { useAuth } from "./composables.ts";

/** The props of the default slot of `<AuthState>`. */
export interface AuthStateSlot extends Pick<AuthClient, "signIn" | "signOut"> {
  readonly user: User | null;
  readonly session: Session | null;
  readonly signedIn: boolean;
  /** `signedIn` under its name in nuxt-auth-utils. */
  readonly loggedIn: boolean;
  /** Signs out and stays on the page, under its name in nuxt-auth-utils. */
  readonly clear: () => Promise<SignOutResult>;
}

/** Renders its default slot with the session, and the slot `placeholder` while the session is unknown. */
export const authState: DefineSetupFnComponent<
  {},
  {},
  SlotsType<{ default: AuthStateSlot; placeholder: undefined }>
> = defineComponent(
  (_: object, { slots }) => {
    const { ready, signedIn, user, session, signIn, signOut } = useAuth();
    return () => {
      if (!ready.value) return slots.placeholder?.();
      const [isSignedIn, clear] = [signedIn.value, async () => signOut({ redirect: false })];
      const shown = { user: user.value, session: session.value, signedIn: isSignedIn };
      const slot: AuthStateSlot = { ...shown, signIn, signOut, loggedIn: isSignedIn, clear };
      return slots.default?.(slot);
    };
  },
  { name: "AuthState" },
) as never;
