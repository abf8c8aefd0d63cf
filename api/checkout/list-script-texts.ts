import { type Language, type Phrase, TEXTS } from './languages.ts'
import type { PageData, ScriptPhrase } from './page-data.ts'
import type { Checkout } from './project.ts'

type Texts = PageData['texts']

const ALWAYS: readonly ScriptPhrase[] = ['script.copy', 'script.copied', 'script.copyFailed']

/** Texts for a page whose charge can change; they report a lost connection. */
const WAITING: readonly ScriptPhrase[] = ['script.lost', 'script.offline']

/** Texts for a page that requests a payment, shown before a wallet receives a request. */
const PAY: readonly ScriptPhrase[] = [
  ...(['script.left', 'script.unsent', 'script.payWith'] as const),
  ...(['script.wallet', 'script.walletUnknown', 'script.confirm'] as const),
]

const SWAP: readonly ScriptPhrase[] = ['script.swap', 'script.swapWith', 'script.walletInBrowser']

const RETURN: readonly ScriptPhrase[] = ['script.returning', 'script.stay']

const BY_SCREEN: Readonly<Record<Checkout['screen'], readonly ScriptPhrase[]>> = {
  ...{ pay: [...WAITING, ...PAY], signed: WAITING, seen: WAITING, deciding: WAITING, unavailable: WAITING },
  ...{ paid: RETURN, underpaid: [], expired: [], late: [] },
}

/** Returns the texts that the script might show on the current screen of a charge's page. */
export function listPageTexts({ screen, swapAlternatives }: Checkout, language: Language): Texts {
  const swap = swapAlternatives.length === 0 ? [] : SWAP
  return select(language, [...ALWAYS, ...BY_SCREEN[screen], ...swap])
}

/** Texts of the page of an escrow, whose script includes its wallet code. */
const ESCROW: readonly ScriptPhrase[] = [
  ...(['escrow.releaseWith', 'escrow.refundWith', 'escrow.sign', 'escrow.asking'] as const),
  ...(['escrow.otherAccount', 'escrow.unconfirmed', 'escrow.blocked'] as const),
  ...(['script.go', 'script.walletInBrowser', 'script.switching', 'script.signedTitle'] as const),
  ...(['script.rejected', 'script.unsigned', 'script.pending', 'script.changed', 'script.error'] as const),
]

/**
 * Returns the texts of the script of an escrow's page. If a wallet cannot switch its network, the page of a charge
 * suggests another way to pay. An escrow has no other way, so its text differs.
 */
export function listEscrowTexts(language: Language): Texts {
  const texts = select(language, [...ALWAYS, ...ESCROW])
  return { ...texts, 'script.noNetwork': TEXTS[language]['escrow.noNetwork'] }
}

/** Returns the texts of the payment code: all `script` texts that no page of a charge embeds. */
export function listPaymentTexts(language: Language): Texts {
  const inPage = new Set<Phrase>([...ALWAYS, ...WAITING, ...PAY, ...SWAP, ...RETURN])
  const others = Object.keys(TEXTS[language]).filter(isScriptPhrase)
  return select(
    language,
    others.filter((phrase) => !inPage.has(phrase)),
  )
}

/** Texts of the page on which the payer of a refund reviews their address. */
const CLAIM: readonly ScriptPhrase[] = [
  ...(['claim.prove', 'script.walletInBrowser'] as const),
  ...(['script.rejected', 'script.unsigned', 'script.pending'] as const),
]

export function listClaimTexts(language: Language): Texts {
  return select(language, [...ALWAYS, ...CLAIM])
}

function select(language: Language, phrases: readonly ScriptPhrase[]): Texts {
  return Object.fromEntries(phrases.map((phrase) => [phrase, TEXTS[language][phrase]]))
}

function isScriptPhrase(phrase: string): phrase is ScriptPhrase {
  return phrase.startsWith('script.')
}
