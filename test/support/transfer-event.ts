import { parseAbiItem } from 'viem'

/** The event of an ERC-20 transfer. */
export const TRANSFER_EVENT = parseAbiItem(
  'event Transfer(address indexed from, address indexed to, uint256 value)',
)
