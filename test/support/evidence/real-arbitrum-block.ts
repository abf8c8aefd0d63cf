import { type RealLog, realReceipt, word } from './real-log.ts'

const TICKET = word('9d2a65b8f9f1fe255bc865bbe2ea6be6a4cb9da4d19f2aec6d33a0a17c2a5a47')
const RETRY = word('6f78774cff7b565a4c4d32dcf9d6ea3af0abb2780fa2783ce6f0fc46af927d48')
const RETRYABLES = '0x000000000000000000000000000000000000006e'

const SUBMITTED: readonly RealLog[] = [
  [RETRYABLES, [word('7c793cced5743dc5f531bbe2bfb5a9fa3f40adef29231e6ab165c08a29e3dd89'), TICKET]],
  [
    RETRYABLES,
    [word('5ccd009502509cf28762c67858994d85b163bb6e451f5e9df7c5e18c9c2e123e'), ...[TICKET, RETRY, word('')]],
    ...['6b77', '230e1ca90ff285b6eb37794ad781629fc77c9842', '6afe1816bd0', '62fab99f350'].map((digits) =>
      word(digits).slice(2),
    ),
  ],
]

/**
 * The receipts of block 241,934,433 of Arbitrum Sepolia, and their root in its header: ArbOS's transaction at the start
 * of each block (0x6a), a retryable ticket (0x69) and its first redemption (0x68). Source: the test
 * TestArbSepoliaReceiptHash in execution/types of erigontech/erigon.
 */
export const ARBITRUM_BLOCK = {
  receiptsRoot: '0xcff129e7e29449de7b5c58e99f987104e7026c201cd27c6f894f5df23d79730e',
  receipts: [
    realReceipt(0, { type: '0x6a' }),
    realReceipt(27_511, { type: '0x69', logs: SUBMITTED }),
    realReceipt(48_511, { type: '0x68' }),
  ],
} as const
