import { formatDecimal } from '../../decimal.ts'
import type { Family } from '../family.ts'
import { formatTronAddress, parseTronAddress } from './address.ts'
import { distributionFeeLimitSun } from './fee-limit.ts'
import { predictTronSplit } from './predict-split.ts'
import { tronSplitCode } from './split-code.ts'

/** TRON: its virtual machine is Ethereum's, its addresses, transactions and nodes are not. */
export const TRON: Family = {
  isPayable: true,
  hasEscrow: false,
  payoutOption: 'tron-payout-address',
  tellsTransferability: false,
  takesCallData: false,
  hasPastState: false,
  transferSource: 'tron_watcher',
  treasurySetting: 'TREASURY_ADDRESS_TRON',
  addressForm: 'a TRON address (T…) with a right checksum',
  addressPattern: 'T[1-9A-HJ-NP-Za-km-z]{33}',
  parseAddress: parseTronAddress,
  presentAddress: formatTronAddress,
  presentTransactionHash: (hash) => hash.slice(2),
  transactionUrl: ({ explorer, hash }) => `${explorer}/#/transaction/${hash.slice(2)}`,
  callLimits: (call) => ({ feeLimit: String(distributionFeeLimitSun(call)) }),
  // There is no standard: this is the form that most wallets know, the token named besides (decisions 3.11).
  paymentUri: ({ tokenAddress, decimals, recipient, amountAtomic }) =>
    `tron:${formatTronAddress(recipient)}?amount=${formatDecimal(amountAtomic, decimals)}&token=${formatTronAddress(tokenAddress)}`,
  // A contract's address follows there from the transaction that made it: only configuration knows the factory.
  fixedFactory: null,
  splitCodeOf: tronSplitCode,
  predictSplit: predictTronSplit,
}
