import ar from './languages/ar.json' with { type: 'json' }
import de from './languages/de.json' with { type: 'json' }
import en from './languages/en.json' with { type: 'json' }
import es from './languages/es.json' with { type: 'json' }
import fr from './languages/fr.json' with { type: 'json' }
import hi from './languages/hi.json' with { type: 'json' }
import id from './languages/id.json' with { type: 'json' }
import ja from './languages/ja.json' with { type: 'json' }
import pt from './languages/pt.json' with { type: 'json' }
import zh from './languages/zh.json' with { type: 'json' }

/** Key of one text of a page. Every language must have the same keys as English. */
export type Phrase = keyof typeof en

/** The texts of the pages, by language. */
export const TEXTS = { en, es, pt, fr, de, ar, zh, ja, hi, id } as const satisfies Record<
  string,
  Readonly<Record<Phrase, string>>
>

/** A language in which the pages are available. */
export type Language = keyof typeof TEXTS

/** The name of each language, written in that language. */
export const LANGUAGES: Readonly<Record<Language, string>> = {
  en: 'English',
  es: 'Español',
  pt: 'Português',
  fr: 'Français',
  de: 'Deutsch',
  ar: 'العربية',
  zh: '中文',
  ja: '日本語',
  hi: 'हिन्दी',
  id: 'Bahasa Indonesia',
}

export const DIRECTIONS: Readonly<Record<Language, 'ltr' | 'rtl'>> = {
  en: 'ltr',
  es: 'ltr',
  pt: 'ltr',
  fr: 'ltr',
  de: 'ltr',
  ar: 'rtl',
  zh: 'ltr',
  ja: 'ltr',
  hi: 'ltr',
  id: 'ltr',
}

/**
 * Chooses a page's language: the one selected on the page, otherwise the best match of the browser's languages,
 * otherwise English.
 *
 * @param preferred.lang - the language in the page's URL; `null` if there is none
 * @param preferred.accept - the header `Accept-Language`
 * @see RFC 9110 section 12.5.4, RFC 4647 section 3.4 (lookup)
 */
export function chooseLanguage(preferred: {
  readonly lang: string | null
  readonly accept: string
}): Language {
  const named = preferred.lang === null ? null : findLanguage(preferred.lang)
  if (named !== null) return named
  const ranges = preferred.accept.slice(0, MAX_ACCEPT_CHARACTERS).split(',').map(parseRange)
  const best = ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  for (const { range } of best) {
    const found = findLanguage(range)
    if (found !== null) return found
  }
  return 'en'
}

/** Maximum number of characters read from the header. Browsers send about 50. */
const MAX_ACCEPT_CHARACTERS = 500

function parseRange(text: string): { readonly range: string; readonly quality: number } {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { range, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

function findLanguage(range: string): Language | null {
  const primary = range.toLowerCase().split('-')[0] ?? ''
  return isLanguage(primary) ? primary : null
}

export function isLanguage(text: string): text is Language {
  return Object.hasOwn(TEXTS, text)
}
