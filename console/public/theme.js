// Applies the chosen theme before the first paint. Blocking and external: the content security policy
// allows no inline script.
(() => {
  try {
    const { theme } = JSON.parse(localStorage.getItem("tasuki.settings") ?? "{}");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage the system's theme applies.
  }
})();
