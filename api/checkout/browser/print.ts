/** Makes the receipt's print button work. Most browsers inside wallets cannot print; there the button is hidden. */
export function enablePrinting(): void {
  const canPrint = typeof window.print === 'function'
  document.documentElement.classList.toggle('printless', !canPrint)
  document.addEventListener('click', ({ target }) => {
    if (canPrint && target instanceof Element && target.closest('#print')) window.print()
  })
}
