/** The plugins that the person can use. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"

const shownMax = 10

export const Plugins = () => {
  const query = useQuery({
    queryKey: ["plugins", "home"],
    queryFn: ({ signal }) => client.plugins.list({ limit: shownMax }, { signal })
  })
  return (
    <Section title="Your plugins" actions={<Link to="/plugins">All plugins</Link>}>
      <Shown query={query} lines={5}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">No plugin is shared with you yet. Ask an admin for access.</p>
          ) : (
            <ul className="recent">
              {items.map(({ description, id, name }) => (
                <li key={id}>
                  <Link to={`/plugins/${id}`}>{name}</Link>
                  {description !== null && <span className="muted">{description}</span>}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  )
}
