import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'
import { invariant } from './errors.ts'

/*
 * A message that only the holder of a private key can decrypt. Not even the sender can.
 *
 * X25519 with a key pair created for this message, HKDF-SHA256 over the shared secret and both public keys, then
 * AES-256-GCM. The layout: version (1 byte), the message's public key (32), ciphertext, tag (16). No nonce is stored:
 * every message has its own key, so the zero nonce is used only once per key (NIST SP 800-38D, section 8).
 */

const VERSION = 1
const KEY_BYTES = 32
const TAG_BYTES = 16
const NONCE = Buffer.alloc(12)
const HEAD_BYTES = 1 + KEY_BYTES

/** A pair of raw 32-byte keys. */
export type SealKeys = { readonly publicKey: Buffer; readonly privateKey: Buffer }

/** Creates a key pair: the public key encrypts, the private key decrypts. */
export function createSealKeys(): SealKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { publicKey: toRawKey(publicKey), privateKey: toRawKey(privateKey) }
}

/** Returns the public key of a private key. */
export function derivePublicKey(privateKey: Buffer): Buffer {
  return toRawKey(createPublicKey(importPrivateKey(privateKey)))
}

/** Encrypts text for the holder of the private key. */
export function seal(publicKey: Buffer, text: string): Buffer {
  const message = generateKeyPairSync('x25519')
  const messageKey = toRawKey(message.publicKey)
  const shared = diffieHellman({ privateKey: message.privateKey, publicKey: importPublicKey(publicKey) })
  const cipher = createCipheriv('aes-256-gcm', deriveKey({ shared, messageKey, publicKey }), NONCE)
  const head = Buffer.concat([Buffer.of(VERSION), messageKey])
  cipher.setAAD(head)
  return Buffer.concat([head, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Decrypts the result of `seal`; returns `null` if it was altered or is for another key, and for any other bytes. */
export type Unseal = (box: Buffer) => string | null

/**
 * Creates the function that decrypts with any of the private keys. Keys are imported only once, because an import takes
 * as long as decrypting ten boxes.
 */
export function createUnseal(privateKeys: readonly Buffer[]): Unseal {
  const keys = privateKeys.map((raw) => {
    const privateKey = importPrivateKey(raw)
    return { privateKey, publicKey: toRawKey(createPublicKey(privateKey)) }
  })
  return (box) => {
    for (const key of keys) {
      const text = unseal(key, box)
      if (text !== null) return text
    }
    return null
  }
}

type ImportedKeys = { readonly privateKey: KeyObject; readonly publicKey: Buffer }

function unseal({ privateKey, publicKey }: ImportedKeys, box: Buffer): string | null {
  if (box.length < HEAD_BYTES + TAG_BYTES || box[0] !== VERSION) return null
  const head = box.subarray(0, HEAD_BYTES)
  const messageKey = head.subarray(1)
  try {
    const shared = diffieHellman({ privateKey, publicKey: importPublicKey(messageKey) })
    const key = deriveKey({ shared, messageKey, publicKey })
    const decipher = createDecipheriv('aes-256-gcm', key, NONCE, { authTagLength: TAG_BYTES })
    decipher.setAAD(head)
    decipher.setAuthTag(box.subarray(-TAG_BYTES))
    return decipher.update(box.subarray(HEAD_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    // The tag is wrong, or the message's key has low order. `seal` did not create this box for this key.
    return null
  }
}

function deriveKey(parts: { shared: Buffer; messageKey: Buffer; publicKey: Buffer }): Buffer {
  const salt = Buffer.concat([parts.messageKey, parts.publicKey])
  return Buffer.from(hkdfSync('sha256', parts.shared, salt, 'webhook secret', KEY_BYTES))
}

// The DER encodings of X25519 keys are a fixed prefix and the raw key (RFC 8410, sections 4 and 7).
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex')

function importPublicKey(raw: Buffer): KeyObject {
  invariant(raw.length === KEY_BYTES, `an X25519 public key must have ${KEY_BYTES} bytes, not ${raw.length}`)
  // Importing a JWK takes a seventh of the time of importing DER.
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw.toString('base64url') }, format: 'jwk' })
}

function importPrivateKey(raw: Buffer): KeyObject {
  invariant(raw.length === KEY_BYTES, `an X25519 private key must have ${KEY_BYTES} bytes, not ${raw.length}`)
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, raw]), format: 'der', type: 'pkcs8' })
}

function toRawKey(key: KeyObject): Buffer {
  const der =
    key.type === 'public'
      ? key.export({ format: 'der', type: 'spki' })
      : key.export({ format: 'der', type: 'pkcs8' })
  return der.subarray(-KEY_BYTES)
}
