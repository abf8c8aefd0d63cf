import type { BookedCharge } from '../../shared/domain/accounting/build-entries.ts'
import type { AccountingEntry } from '../../shared/domain/accounting/entry.ts'
import type { LedgerFact } from '../../shared/domain/accounting/ledger-fact.ts'
import type { Address } from '../../shared/domain/address.ts'
import { atto } from '../../shared/domain/money.ts'
import { buildCharge, CHAINS, type ChainName, getTokenAddress, KEEPER, randomHex } from './factories.ts'

export const NOBODY = `0x${'0'.repeat(40)}` as Address

/** Builds a charge of 10 dollars as the accounting reads it. */
export function buildBookedCharge(columns: Partial<BookedCharge> = {}): BookedCharge {
  const { id, amountMicro, splitAddress, splitTerms, splitRecipients, escrowReleaser } = buildCharge()
  return {
    ...{ id, amountMicro, splitAddress, splitTerms, splitRecipients, escrowReleaser },
    ...{ isConfirmed: false, isSettled: false, escrowEnd: null },
    ...columns,
  }
}

/** Builds a counted ledger fact of 10 dollars, by default on base. */
export function buildFact(fact: Partial<LedgerFact> & { readonly chain?: ChainName } = {}): LedgerFact {
  const { chain = 'base', ...columns } = fact
  const { network, chainId, decimals } = CHAINS[chain]
  return {
    ...{ network, chainId, decimals, token: 'USDC', tokenAddress: getTokenAddress(chain) },
    ...{
      chargeId: 'ch_one',
      event: 'credited',
      txHash: randomHex(32),
      ordinal: 0,
      requestId: null,
      strikes: 0,
    },
    ...{ party: KEEPER, amountAtto: atto(10n ** 19n), blockNumber: 90 },
    ...{
      minedAt: new Date('2026-11-20T12:50:00Z'),
      countedAt: new Date('2026-11-20T12:51:00Z'),
      struckAt: null,
    },
    ...columns,
  }
}

/** Sums the legs of these accounts, in 10^-18 of the token. */
export function sumAccounts(
  entries: readonly Pick<AccountingEntry, 'legs'>[],
  ...accounts: readonly string[]
): bigint {
  return entries
    .flatMap(({ legs }) => legs)
    .filter(({ account }) => accounts.includes(account))
    .reduce((sum, { amountAtto }) => sum + amountAtto, 0n)
}
