import { useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { PasswordForm } from "./PasswordForm";
import { Welcome } from "./Welcome";

const route = getRouteApi("/sign-in");

export function SignInPage() {
  const { next } = route.useSearch();
  const router = useRouter();
  const client = useQueryClient();
  return (
    <Welcome title="Sign in">
      <PasswordForm
        onDone={() => {
          client.clear();
          if (next) router.history.push(next);
          else void router.navigate({ to: "/", replace: true });
        }}
      />
      <p className="sec">
        Your name in this exchange and the password that was set with <code>tasuki party add</code>. On the machine that
        runs the server, the link that <code>tasuki serve</code> prints signs you in.
      </p>
    </Welcome>
  );
}
