import { parseAbi } from 'viem'

/** The functions of Safe v1.4.1 that the service calls (npm @safe-global/safe-contracts). */
export const safeAbi = parseAbi([
  'function nonce() view returns (uint256)',
  'function getThreshold() view returns (uint256)',
  'function isOwner(address owner) view returns (bool)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)',
])

/** The function of SafeProxyFactory v1.4.1 that the service calls. */
export const safeProxyFactoryAbi = parseAbi([
  'function createProxyWithNonce(address _singleton, bytes initializer, uint256 saltNonce) returns (address proxy)',
])

/** The function of MultiSendCallOnly v1.4.1 that the service calls; any account may call it. */
export const multiSendAbi = parseAbi(['function multiSend(bytes transactions) payable'])
