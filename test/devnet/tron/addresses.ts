import type { Address } from 'viem'

/** USDT's mainnet address: TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t. */
export const TRON_USDT: Address = '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c'

export const TRON_CHAIN_ID = 728126428
