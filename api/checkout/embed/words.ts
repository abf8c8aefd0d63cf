/** The dialog's title and the label of its close button, in the languages of the checkout's pages. */
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

/** Returns the words for a language tag such as `pt-BR`; in English for an unsupported language. */
export function findWords(tag: string): readonly [title: string, close: string] {
  return WORDS[tag.slice(0, 2).toLowerCase()] ?? ['Payment', 'Close']
}
