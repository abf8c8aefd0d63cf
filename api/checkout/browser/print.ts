/** Makes the receipt's print button work. Hides it where printing is impossible, as in most browsers inside wallets. */
export function enablePrinting(): void {
  const canPrint = typeof window.print === 'function'
  document.documentElement.classList.toggle('printless', !canPrint)
  document.addEventListener('click', ({ target }) => {
    if (canPrint && target instanceof Element && target.closest('#print')) window.print()
  })
}
