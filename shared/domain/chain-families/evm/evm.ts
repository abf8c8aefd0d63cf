import constants from '../../../../contracts/artifacts/split-constants.json' with { type: 'json' }
import { checksum, type Hex, parseEvmAddress } from '../../address.ts'
import { predictSplitAddress, SPLIT_FACTORY, SPLIT_IMPLEMENTATIONS } from '../../split-address.ts'
import type { ChainFamily } from '../chain-family.ts'

/** Ethereum and compatible chains. */
export const EVM: ChainFamily = {
  isPayable: true,
  hasEscrow: true,
  hasTypedData: true,
  payoutOption: 'payout-address',
  tellsTransferability: true,
  takesCallData: true,
  provesReceipts: true,
  hasPastState: true,
  transferSource: 'contract_watcher',
  treasurySetting: 'TREASURY_ADDRESS',
  addressForm: '0x and 40 hex digits, all lowercase, all uppercase or with a correct checksum (EIP-55)',
  addressPattern: '0x[0-9a-fA-F]{40}',
  parseAddress: parseEvmAddress,
  presentAddress: checksum,
  presentTransactionHash: (hash) => hash,
  transactionUrl: ({ explorer, hash }) => `${explorer}/tx/${hash}`,
  callLimits: () => ({}),
  // EIP-681, with the amount as a plain integer, because more parsers accept an integer than an exponent (decisions
  // 3.11).
  paymentUri: ({ chainId, tokenAddress, recipient, amountAtomic }) =>
    `ethereum:${checksum(tokenAddress)}@${chainId}/transfer?address=${checksum(recipient)}&uint256=${amountAtomic}`,
  fixedFactory: SPLIT_FACTORY,
  splitCodeOf: (factory) => {
    const implementation = SPLIT_IMPLEMENTATIONS.get(factory)
    if (implementation === undefined) return null
    const { factoryRuntimeCodeHash: factoryCodeHash, implementationRuntimeCodeHash } = constants
    return {
      factoryCodeHash: factoryCodeHash as Hex,
      implementation,
      implementationCodeHash: implementationRuntimeCodeHash as Hex,
    }
  },
  predictSplit: (place) => {
    const implementation = SPLIT_IMPLEMENTATIONS.get(place.factory)
    return implementation === undefined ? null : predictSplitAddress({ ...place, implementation })
  },
}
