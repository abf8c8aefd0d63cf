import type { ScriptPhrase } from '../page-data.ts'

/** A failed wallet request, with the text shown to the payer. */
export class WalletError extends Error {
  readonly phrase: ScriptPhrase
  readonly values: Readonly<Record<string, string>>
  /** Whether the payment might have been sent anyway. If so, the page must not request it again. */
  readonly mayBeSent: boolean

  constructor(phrase: ScriptPhrase, values: Readonly<Record<string, string>> = {}, mayBeSent = false) {
    super(phrase)
    this.phrase = phrase
    this.values = values
    this.mayBeSent = mayBeSent
  }
}

/**
 * Checks the fields instead of the class, because each of the page's two scripts contains its own copy of the class.
 */
export function isWalletError(error: unknown): error is WalletError {
  return error instanceof Error && 'phrase' in error && 'mayBeSent' in error
}
