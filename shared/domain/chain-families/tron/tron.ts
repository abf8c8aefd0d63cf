import { formatDecimal } from '../../decimal.ts'
import type { ChainFamily } from '../chain-family.ts'
import { formatTronAddress, parseTronAddress } from './address.ts'
import { getDistributionFeeLimitSun } from './distribution-fee-limit.ts'
import { predictTronSplit } from './predict-split.ts'
import { getTronSplitCode } from './split-code.ts'

/** TRON runs Ethereum's virtual machine, but its addresses, transactions and node API have different formats. */
export const TRON: ChainFamily = {
  isPayable: true,
  hasEscrow: false,
  hasTypedData: false,
  payoutOption: 'tron-payout-address',
  tellsTransferability: false,
  takesCallData: false,
  // A block's header contains the root of a tree over the transactions and their results (`txTrieRoot`), but no root
  // over logs. Source: java-tron, protocol/src/main/protos/core/Tron.proto, `BlockHeader`.
  provesReceipts: false,
  hasPastState: false,
  transferSource: 'tron_watcher',
  treasurySetting: 'TREASURY_ADDRESS_TRON',
  addressForm: 'a TRON address (T…) with a correct checksum',
  addressPattern: 'T[1-9A-HJ-NP-Za-km-z]{33}',
  parseAddress: parseTronAddress,
  presentAddress: formatTronAddress,
  presentTransactionHash: (hash) => hash.slice(2),
  transactionUrl: ({ explorer, hash }) => `${explorer}/#/transaction/${hash.slice(2)}`,
  callLimits: (call) => ({ feeLimit: String(getDistributionFeeLimitSun(call)) }),
  // TRON has no standard for payment URIs. Most wallets support this form, which names the token (decisions 3.11).
  paymentUri: ({ tokenAddress, decimals, recipient, amountAtomic }) =>
    `tron:${formatTronAddress(recipient)}?amount=${formatDecimal(amountAtomic, decimals)}&token=${formatTronAddress(tokenAddress)}`,
  // On TRON, a contract's address depends on the transaction that created it, so the factory's address must be
  // configured.
  fixedFactory: null,
  splitCodeOf: getTronSplitCode,
  predictSplit: predictTronSplit,
}
