/** Stops the merchant's page from scrolling behind the dialog; returns a function that undoes this. */
export function lockScroll(): () => void {
  const { documentElement: root } = document
  const { overflow, scrollbarGutter } = root.style
  // Keeps the space of a visible scrollbar, so that the page does not shift.
  if (innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable'
  root.style.overflow = 'hidden'
  return () => {
    Object.assign(root.style, { overflow, scrollbarGutter })
  }
}
