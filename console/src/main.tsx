import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/http";
import { Sprite } from "./components/Icon";
import { createConsoleRouter } from "./router";
import "./styles/index.css";

const refused = (error: Error) => {
  // The session ended: ask who is signed in, which shows the sign-in dialog.
  if (error instanceof ApiError && error.status === 401) {
    void client.invalidateQueries({ queryKey: ["whoami"] }, { cancelRefetch: false });
  }
};

const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (query.queryKey[0] !== "whoami") refused(error);
    },
  }),
  mutationCache: new MutationCache({ onError: refused }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => !(error instanceof ApiError) && failures < 2,
      retryDelay: 500,
    },
  },
});

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Sprite />
        <RouterProvider router={createConsoleRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
