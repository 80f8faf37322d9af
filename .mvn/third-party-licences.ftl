<#-- The list of third-party licences: one row per dependency, as its own POM states the licence. -->
# Third-party licences

The following components are compile and runtime dependencies of Multimed's modules, and part of
`deploy/distribution/target/multimed.jar`. The list is generated from the components' own POMs by
`mvn -B -ntp license:aggregate-add-third-party`. The driver (`multimed-jdbc` and
`multimed-protocol`) contains none of them. `BillOfMaterialsIT` fails if a component is missing here.

The programs of the engines inside the jar are separate programs that Multimed starts; they are not linked with
Multimed. PostgreSQL has the PostgreSQL Licence; MariaDB Server has the GPL, version 2 (the table shows the licence of
the archive around the program). MySQL Connector/J has the GPL, version 2, with the Universal FOSS Exception, version
1.0. A distributor of `multimed.jar` must comply with all of these licences: pass on their texts, which
the jar contains as far as the components' archives do, and supply or offer the source code of MariaDB Server and of
MySQL Connector/J.

| component | version | licence |
|---|---|---|
<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
<#assign licenses = entry.getValue()/>
| `${project.groupId}:${project.artifactId}` | ${project.version} | <#list licenses as license>${license}<#if license_has_next>; </#if></#list> |
</#list>
