#!/usr/bin/env python3
"""Makes manual pages (man3/*.3) and one Markdown file a page with an index from PETSc's manual-page comments.

Usage: make-docs.py FOLDER SOURCE...   The comments: /*@ @*/ functions, /*MC M*/ types and macros, /*S S*/, /*E E*/. Each begins with
"Name - what it is", of types "NAME = "name" - what it is"; the sentence ends with the paragraph.
"""
import os, re, sys

COMMENT = re.compile(r'/\*(@C?|MC|S|E)\n(.*?)\n\s*(?:@|M|S|E)\*/', re.S)
DECLARATION = {'@': r'\s*([^{;]*)', 'S': r'\s*(typedef struct.*?\n\}\s*\w+)', 'E': r'\s*(typedef enum.*?\n\}\s*\w+)', 'M': r'()'}
HEADING = re.compile(r'^\s*(Synopsis|Logically Collective|Collective|Not Collective|Input Parameters?|Output Parameters?|Input/Output Parameters?|'
                     r'Options Database Keys?|Level|Notes?|Developer Notes?|References?|Values?|Calling sequence|Example.*)\s*[:;]?\s*(.*)$', re.I)


def pages(source):
    code = open(source, encoding='utf-8').read()
    for comment in COMMENT.finditer(code):
        kind, text = comment.groups()
        m = re.compile(DECLARATION[kind[0]], re.S).match(code, comment.end())
        synopsis = m.group(1) if m else ''
        lines = [re.sub(r'^ {1,2}', '', l.rstrip()) for l in text.split('\n')]
        while lines and not lines[0].strip():
            lines.pop(0)
        first = lines.index('') if '' in lines else len(lines)
        head, dash, short = ' '.join(l.strip() for l in lines[:first]).partition(' - ')
        if not dash:
            sys.exit(f'make-docs: {source}: "{lines[0]}" does not begin like "Name - what it is"')
        if kind[0] == '@':
            synopsis = ' '.join(synopsis.split())
        elif '=' in head:
            synopsis = head.replace(' =', '').replace('MAT', '#define MAT', 1)
        yield dict(name=head.split()[0], short=short, kind=kind, synopsis=synopsis, body=lines[first:], source=source)


def declaration(page):
    return page['synopsis'] + ('' if page['synopsis'].startswith('#') else ';')


def see_also(line):
    return re.sub(r'^\s*\.seealso:\s*', '', line)


def sections(page):
    """(heading, lines) in the order of the comment; a list item is a line that begins with + . or -"""
    out = [['', []]]
    for line in page['body']:
        m = HEADING.match(line)
        if line.strip().startswith('.seealso'):
            out.append(['See also', [see_also(line)]])
        elif m and not line.startswith(('+', '.', '-')) and (':' in line or m.group(1).lower().endswith('collective') or not m.group(2)):
            out.append([m.group(1) + (' ' + m.group(2) if 'ollective' in m.group(1) and m.group(2) else ''), [] if 'ollective' in m.group(1) else [m.group(2)]])
        else:
            out[-1][1].append(line)
    return [(h, '\n'.join(ls).strip('\n').split('\n')) for h, ls in out if h or any(l.strip() for l in ls)]


def item(line):
    m = re.match(r'^[+.\-]\s+(\S.*?)\s+-\s+(.*)$', line)
    return m and (m.group(1), m.group(2))


def markdown(page, names):
    def link(text):
        return re.sub(r'`(\w+)(\(\))?`', lambda m: f'[`{m.group(1)}`]({m.group(1)}.md)' if m.group(1) in names and m.group(1) != page['name'] else m.group(0), text)
    text = [f"# {page['name']}", '', link(page['short']), '']
    if page['synopsis']:
        text += ['```c', '#include <petscautocsr.h>', '', declaration(page), '```', '']
    for heading, lines in sections(page):
        if heading:
            text += [f'## {heading}', '']
        for l in lines:
            i = item(l)
            text.append(f'* `{i[0].strip("`")}`: {link(i[1])}' if i else '    ' + l.strip() if l.startswith('  ') else link(l))
        text.append('')
    return '\n'.join(text + [f"In {page['source']}", ''])


def roff(page):
    def esc(text):
        text = text.replace('\\', '\\e').replace('-', '\\-').replace('`', '')
        return '\\&' + text if text.startswith(('.', "'")) else text
    text = [f'.TH "{page["name"]}" 3 "" "petscautocsr" "MATAUTOCSR"', '.SH NAME', f'{esc(page["name"])} \\- {esc(page["short"])}']
    if page['synopsis']:
        text += ['.SH SYNOPSIS', '.nf', '#include <petscautocsr.h>', ''] + [esc(l) for l in declaration(page).split('\n')] + ['.fi']
    for heading, lines in sections(page):
        text.append(f'.SH {esc(heading).upper() if heading else "DESCRIPTION"}')
        for l in lines:
            i = item(l)
            if i:
                text += ['.TP', f'.B {esc(i[0])}', esc(i[1])]
            elif l.startswith('  '):
                text += ['.nf', esc(l), '.fi']
            else:
                text.append(esc(l.strip()) if l.strip() else '.PP')
    return '\n'.join(text) + '\n'


def main():
    folder, sources = sys.argv[1], sys.argv[2:]
    found = sorted((p for s in sources for p in pages(s)), key=lambda p: p['name'])
    names = {p['name'] for p in found}
    if len(names) < len(found):
        sys.exit('make-docs: two pages of one name: ' + ' '.join(sorted(p['name'] for p in found)))
    os.makedirs(os.path.join(folder, 'man3'), exist_ok=True)
    for p in found:
        open(os.path.join(folder, p['name'] + '.md'), 'w').write(markdown(p, names))
        open(os.path.join(folder, 'man3', p['name'] + '.3'), 'w').write(roff(p))
    index = ['# Manual pages', ''] + [f"* [{p['name']}]({p['name']}.md): {p['short']}" for p in found]
    open(os.path.join(folder, 'index.md'), 'w').write('\n'.join(index) + '\n')
    print(f'{len(found)} manual pages in {folder}')


if __name__ == '__main__':
    main()
