-- Every table, constraint, index, trigger and function of this schema with its definition, on one line each.
SELECT kind, name, regexp_replace(replace(definition, current_schema() || '.', ''), '\s+', ' ', 'g') AS definition
FROM (
    SELECT 'table' AS kind, c.relname::text AS name,
           string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
               || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
               || COALESCE(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), ''), ', ' ORDER BY a.attname) AS definition
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
    GROUP BY c.relname
    UNION ALL
    SELECT 'constraint', conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid)
    FROM pg_constraint
    WHERE contype IN ('p', 'u', 'c', 'f') AND convalidated AND connamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL
    SELECT 'trigger', c.relname || ' ' || t.tgname, pg_get_triggerdef(t.oid)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND c.relnamespace = current_schema()::regnamespace
    UNION ALL
    SELECT 'function', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
           pg_get_function_result(p.oid) || ' ' || p.prosrc
    FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
) objects
ORDER BY kind, name
