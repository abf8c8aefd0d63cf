import type { Address } from 'viem'

/** Arc's contracts at fixed addresses. Source: circlefin/arc-node, contracts/scripts/Addresses.sol (November 2026). */
export const ARC_USDC: Address = '0x3600000000000000000000000000000000000000'
export const NATIVE_COIN_AUTHORITY: Address = '0x1800000000000000000000000000000000000000'
export const NATIVE_COIN_CONTROL: Address = '0x1800000000000000000000000000000000000001'
