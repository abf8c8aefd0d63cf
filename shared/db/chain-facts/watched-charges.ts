import type { Address } from '../../domain/address.ts'
import type { Environment } from '../../domain/networks.ts'
import type { Db } from '../connect.ts'

/** The fields of a charge that the chain feed needs to assign a log to it. */
export type WatchedCharge = {
  readonly id: string
  readonly address: Address
  readonly splitAddress: Address
  readonly environment: Environment
  readonly acceptedPayments: readonly string[]
}

/**
 * Finds the charges whose payment address or split is among these addresses. Excludes simulated charges: transfers at
 * their addresses do not belong to them, even if their testnet is now watched.
 */
export async function findChargesByAddress(
  db: Db,
  addresses: readonly Address[],
): Promise<readonly WatchedCharge[]> {
  return db<WatchedCharge[]>`
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments from charges c
    where c.address = any (${addresses}) and not c.is_simulated
    union
    select c.id, c.address, c.split_address, c.environment, c.accepted_payments from charges c
    where c.split_address = any (${addresses}) and c.escrow_releaser is not null and not c.is_simulated`
}
