// Controls that are at work.

/** Run `work` while the control shows that it is busy; a second click meanwhile does nothing. */
export async function busy(control, work) {
  if (control.getAttribute("aria-busy") === "true") return;
  control.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    control.removeAttribute("aria-busy");
  }
}
