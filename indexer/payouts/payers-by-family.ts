import type { ChainFamilyName } from '../../shared/domain/address.ts'
import { createEvmChainPayer } from './evm-chain-payer.ts'
import { createTronChainPayer } from './tron-chain-payer.ts'

/** For each chain family, the function that creates a chain's payer. */
export const PAYERS_BY_FAMILY: Readonly<Record<ChainFamilyName, typeof createEvmChainPayer>> = {
  evm: createEvmChainPayer,
  tron: createTronChainPayer,
}
