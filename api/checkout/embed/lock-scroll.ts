/**
 * Prevents the merchant's page from scrolling behind the dialog; returns a function that lets the page scroll again.
 */
export function lockScroll(): () => void {
  const { documentElement: root } = document
  const { overflow, scrollbarGutter } = root.style
  // Keeps the width of a scrollbar that takes space, so that the page does not jump.
  if (innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable'
  root.style.overflow = 'hidden'
  return () => {
    Object.assign(root.style, { overflow, scrollbarGutter })
  }
}
