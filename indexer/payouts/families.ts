import type { AddressFamily } from '../../shared/domain/address.ts'
import { createEvmPayer } from './evm-payer.ts'
import type { Payer, PayerDeps } from './payer.ts'
import { createTronPayer } from './tron-payer.ts'

/** The payer of each chain family. */
export const PAYERS: Readonly<Record<AddressFamily, (deps: PayerDeps) => Payer>> = {
  evm: createEvmPayer,
  tron: createTronPayer,
}
