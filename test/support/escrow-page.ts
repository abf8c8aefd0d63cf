import type { EscrowReading } from '../../api/charges/escrow/prepare-escrow.ts'
import { renderEscrow } from '../../api/checkout/escrow/render-escrow.ts'
import { type EscrowView, viewEscrow } from '../../api/checkout/escrow/view-escrow.ts'
import { chooseLanguage } from '../../api/checkout/languages.ts'
import { createTranslator } from '../../api/checkout/translate.ts'
import { type ChargeRow, toChargeRecord } from '../../shared/db/charges/charge-row.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { atomic } from '../../shared/domain/money.ts'
import { chargeSalt } from '../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { buildCheckout } from './checkout.ts'
import { buildCharge, CHAINS, getTokenAddress } from './factories.ts'

export const RELEASER = ACCOUNTS.releaser.address
export const PAYER = ACCOUNTS.payer.address

const ID = 'ch_0000000000000000000000000000000escrow'
const NOW = new Date('2026-11-20T12:50:00.000Z')

const lower = (address: string) => address.toLowerCase() as Address

/** Columns of a paid escrow charge with `RELEASER`. */
const HELD: Partial<ChargeRow> = {
  ...{
    id: ID,
    escrowReleaser: lower(RELEASER),
    status: 'confirmed',
    confirmedAt: NOW,
    paidWith: ['USDC/base'],
  },
}

/** Builds the charge of an escrow page. */
export function buildEscrowCharge(columns: Partial<ChargeRow> = {}): ChargeRecord {
  return toChargeRecord(buildCharge({ ...HELD, ...columns }))
}

/** Returns the reading of an escrow on base that holds `balance`, by default 10 USDC. */
export function buildReading(
  charge: ChargeRecord,
  { balance = 10_000_000n, nonce = 0n } = {},
): EscrowReading {
  const { chainId } = CHAINS.base
  return {
    safe: { isDeployed: nonce > 0n, nonce, balanceAtomic: atomic(balance) },
    escrow: {
      ...{ token: 'USDC', network: 'base', chainId, tokenAddress: getTokenAddress('base'), decimals: 6 },
      ...{ sender: lower(PAYER), txHash: null, amountAtomic: atomic(balance), at: NOW, isMixed: false },
      ...{ chargeId: charge.id, safeAddress: charge.address, splitAddress: charge.splitAddress },
      ...{ splitTerms: charge.splitTerms, releaser: lower(RELEASER), amountMicro: charge.amountMicro },
      ...{ saltNonce: chargeSalt(charge.id), onlyDustAtto: null },
    },
  }
}

/** Returns the content of an escrow page. `read` returns or throws the result of reading the escrow. */
export function viewOf(
  charge: ChargeRecord = buildEscrowCharge(),
  read: () => EscrowReading = () => buildReading(charge),
): Promise<EscrowView> {
  return viewEscrow(charge, () => Promise.resolve().then(read))
}

/** Renders an escrow page. */
export function buildEscrowPage(
  view: EscrowView,
  { query = '', script = null, columns = {} }: PageChange = {},
): string {
  const asked = new URLSearchParams(query)
  const words = createTranslator(chooseLanguage({ lang: asked.get('lang'), accept: '' }))
  const checkout = buildCheckout({ ...HELD, ...columns })
  return renderEscrow(view, {
    checkout,
    releaserAddress: lower(RELEASER),
    query: asked,
    now: NOW,
    words,
    script,
  })
}

type PageChange = {
  readonly query?: string
  readonly script?: string | null
  readonly columns?: Partial<ChargeRow>
}

const refuse = (code: ConstructorParameters<typeof AppError>[0]) => () => {
  throw new AppError(code, 'the test says so')
}

/** Every state of an escrow, with its heading. */
export const ESCROW_STATES: readonly {
  readonly name: string
  readonly view: () => Promise<EscrowView>
  readonly heading: string
}[] = [
  { name: 'held', view: () => viewOf(), heading: '10.00 USDC on Base held in escrow' },
  {
    name: 'not funded',
    view: () => viewOf(undefined, refuse('escrow_empty')),
    heading: 'Nothing is held in escrow',
  },
  {
    name: 'ordered',
    view: () => viewOf(undefined, refuse('escrow_already_refunded')),
    heading: 'Signed and on its way',
  },
  {
    name: 'released',
    view: () => viewOf(buildEscrowCharge({ escrowReleasedAt: NOW })),
    heading: 'It was released from escrow to the merchant.',
  },
  {
    name: 'refunded',
    view: () => viewOf(buildEscrowCharge({ escrowRefundedAt: NOW })),
    heading: 'It was refunded from escrow.',
  },
  {
    name: 'impossible to move here',
    view: () => viewOf(undefined, refuse('escrow_safe_mismatch')),
    heading:
      'This escrow cannot be released or refunded here. The releaser can move the money on the network directly.',
  },
  {
    name: 'unknown, because no node responds',
    view: () => viewOf(undefined, refuse('rpc_unavailable')),
    heading: 'The network did not answer. Your payment is not lost: please try again in a minute.',
  },
]
