import type { Address, Hex } from 'viem'

import type { Address as KeptAddress } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { type DevnetAccount, deriveAccount } from '../accounts.ts'

/** Accounts that the devnet uses only on the local TRON, by role. */
export const TRON_ACCOUNTS = { tronPayer: deriveAccount(20), tronMerchant: deriveAccount(21) } as const

/** The accounts in the format of TRON wallets and of `devnet.json`. */
export type TronAccounts = Readonly<
  Record<keyof typeof TRON_ACCOUNTS, { readonly address: string; readonly privateKey: Hex }>
>

export const PRESENTED_TRON_ACCOUNTS: TronAccounts = {
  tronPayer: present(TRON_ACCOUNTS.tronPayer),
  tronMerchant: present(TRON_ACCOUNTS.tronMerchant),
}

export function toTronAddress({ address }: { readonly address: Address }): string {
  return formatTronAddress(address.toLowerCase() as KeptAddress)
}

function present(account: DevnetAccount): TronAccounts['tronPayer'] {
  return { address: toTronAddress(account), privateKey: account.privateKey }
}
