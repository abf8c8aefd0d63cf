import type { ClaimAt, ClaimStep } from '../../api/checkout/claim/claim-at.ts'
import { renderClaim } from '../../api/checkout/claim/render-claim.ts'
import { chooseLanguage } from '../../api/checkout/languages.ts'
import { parseChoice } from '../../api/checkout/payment-choice.ts'
import type { Checkout } from '../../api/checkout/project.ts'
import { createTranslator } from '../../api/checkout/translate.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { atomic } from '../../shared/domain/money.ts'
import type { RefundRecord } from '../../shared/domain/refund/refund.ts'
import { type ClaimTerms, presentClaimData } from '../../shared/domain/refund/refund-claim.ts'
import { buildCheckout } from './checkout.ts'

const CLAIMED = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as Address
const SHOWN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const REFUND: RefundRecord = {
  ...{
    id: 'rf_one',
    chargeId: 'ch_one',
    family: 'evm',
    status: 'awaiting_destination',
    network: 'base',
    token: 'USDC',
  },
  ...{ amountAtomic: atomic(12_500_000n), countedAtomic: null, decimals: 6, chainId: 8453 },
  ...{
    tokenAddress: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as Address,
    sender: CLAIMED,
    destination: null,
  },
  ...{ claim: null, reason: 'other', txHash: null, confirmedAt: null },
  ...{ createdAt: new Date('2026-11-01T00:00:00Z'), expiresAt: new Date('2026-12-01T00:00:00Z') },
}

const CLAIM = { destination: CLAIMED, signer: null, claimedAt: new Date('2026-11-02T00:00:00Z') }
const PAID = { destination: CLAIMED, claim: CLAIM, txHash: `0x${'ab'.repeat(32)}` as Hex }
const FOLLOW: ClaimStep = { name: 'follow' }

/** The terms that a wallet signs on the page. */
export const CLAIM_TERMS: ClaimTerms = {
  ...{ ...REFUND, chainId: 8453, destination: CLAIMED, host: 'pay.example', claimHash: 'ab'.repeat(32) },
}

/** The step in which the payer compares the address before sending it. */
export const REVIEW: ClaimStep = { name: 'review', address: SHOWN, typedData: presentClaimData(CLAIM_TERMS) }

type ClaimScreen = {
  readonly name: string
  readonly step: ClaimStep
  readonly refund?: Partial<RefundRecord>
}

/** Every screen of a refund's page. */
export const CLAIM_SCREENS: readonly ClaimScreen[] = [
  { name: 'asking for the address', step: { name: 'ask', typed: '', problem: null } },
  ...(['invalid', 'refused', 'notProven', 'later'] as const).map((problem) => ({
    ...{ name: `asking again, ${problem}`, step: { name: 'ask', typed: SHOWN, problem } as const },
  })),
  { name: 'showing the address for comparison', step: REVIEW },
  {
    ...{
      name: 'showing the address for comparison, on TRON',
      refund: { family: 'tron', network: 'tron', token: 'USDT' },
    },
    step: { name: 'review', address: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8', typedData: null },
  },
  { name: 'waiting', step: FOLLOW, refund: { status: 'awaiting_approval', claim: CLAIM } },
  { name: 'approved', step: FOLLOW, refund: { ...PAID, status: 'awaiting_payment', txHash: null } },
  { name: 'on its way', step: FOLLOW, refund: { ...PAID, status: 'seen' } },
  { name: 'paid', step: FOLLOW, refund: { ...PAID, status: 'confirmed' } },
  { name: 'canceled', step: FOLLOW, refund: { status: 'canceled' } },
]

/** Renders a refund's page. */
export function renderClaimPage(
  { step, refund = {} }: Pick<ClaimScreen, 'step' | 'refund'>,
  {
    query = '',
    script = null,
    checkout = buildCheckout(),
  }: { readonly query?: string; readonly script?: string | null; readonly checkout?: Checkout } = {},
): string {
  const asked = new URLSearchParams(query)
  const at: ClaimAt = {
    ...{ refund: { ...REFUND, ...refund }, checkout, step, script },
    ...{ choice: parseChoice(asked, []), now: new Date('2026-11-03T00:00:00Z') },
    words: createTranslator(chooseLanguage({ lang: asked.get('lang'), accept: '' })),
  }
  return renderClaim(at)
}
