/** The dialog's title and the name of the button that closes it, in the languages of the checkout's pages. */
const WORDS: Readonly<Record<string, readonly [title: string, close: string]>> = {
  ar: ['الدفع', 'إغلاق'],
  de: ['Zahlung', 'Schließen'],
  en: ['Payment', 'Close'],
  es: ['Pago', 'Cerrar'],
  fr: ['Paiement', 'Fermer'],
  hi: ['भुगतान', 'बंद करें'],
  id: ['Pembayaran', 'Tutup'],
  ja: ['お支払い', '閉じる'],
  pt: ['Pagamento', 'Fechar'],
  zh: ['付款', '关闭'],
}

/** Returns the words in the language of the tag, such as `pt-BR`, or in English. */
export function findWords(tag: string): readonly [title: string, close: string] {
  return WORDS[tag.slice(0, 2).toLowerCase()] ?? ['Payment', 'Close']
}
