import type { ChainFamilyName } from '../../shared/domain/address.ts'
import type { ChainPayer, ChainPayerDeps } from './chain-payer.ts'
import { createEvmChainPayer } from './evm-chain-payer.ts'
import { createTronChainPayer } from './tron-chain-payer.ts'

/** The payer of each chain family. */
export const PAYERS_BY_FAMILY: Readonly<Record<ChainFamilyName, (deps: ChainPayerDeps) => ChainPayer>> = {
  evm: createEvmChainPayer,
  tron: createTronChainPayer,
}
